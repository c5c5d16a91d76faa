import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Tag, X } from 'lucide-react';
import { labelsQuery } from '../api/queries.js';
import { lazyOpened } from '../ui/lazy.js';
import { LabelChip } from './LabelChip.js';
import classes from './Labels.module.css';
import { useLabelsById } from './useLabels.js';

const Panel = lazyOpened('dialog', async () => (await import('./LabelPanel.js')).LabelPanel);

/** The labels of a post, to add and remove. */
export function LabelPicker({ value, onChange }: { value: string[]; onChange: (ids: string[]) => void }) {
  const labels = useLabelsById();
  // Chips that come later would push the button away.
  const isLoading = useQuery(labelsQuery).isPending && value.length > 0;
  const without = (gone: string) => onChange(value.filter((id) => id !== gone));
  if (isLoading) return <Skeleton height={32} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex container in every browser
    <div className={classes.picker} role="group" aria-label="Labels">
      {value.flatMap((id) => {
        const label = labels.get(id);
        return label ? (
          <LabelChip key={id} label={label}>
            <button
              type="button"
              className={classes.remove}
              aria-label={`Remove ${label.name}`}
              onClick={() => without(id)}
            >
              <X size={12} />
            </button>
          </LabelChip>
        ) : (
          []
        );
      })}
      <Panel
        value={value}
        onChange={onChange}
        button={(props) => (
          <Button {...props} variant="default" size="xs" h={32} leftSection={<Tag size={13} />}>
            Add label
          </Button>
        )}
      />
    </div>
  );
}

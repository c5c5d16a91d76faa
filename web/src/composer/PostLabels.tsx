// The labels of the post. The list to choose from loads when it is opened.
import { Button, type ButtonProps, Input } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Tag } from 'lucide-react';
import { type ComponentPropsWithRef, useState } from 'react';
import { labelsQuery } from '../api/queries.js';
import { later, sayNotLoaded } from '../ui/later.js';
import type { Draft } from './draft.js';
import { useDraft } from './drafts.js';
import type { Label } from './field-words.js';
import { labelIdsOf } from './fields.js';
import classes from './PostLabels.module.css';

const Opened = later(async () => (await import('./LabelChoice.js')).LabelChoice);

export function PostLabels({ draft }: { draft: Draft }) {
  const { fields, mistakes } = useDraft(draft);
  const labels = useQuery(labelsQuery).data ?? [];
  const [isUsed, setUsed] = useState(false);
  const ids = labelIdsOf(fields);
  const chosen = labels.filter(({ id }) => ids.includes(id));
  const fail = () => {
    setUsed(false);
    sayNotLoaded();
  };
  const words = chosen.length === 0 ? 'Add labels' : 'Change labels';
  return (
    <Input.Wrapper label="Labels" labelElement="div" error={mistakes.labels ?? null}>
      <div className={classes.row}>
        {chosen.map((label) => (
          <LabelName key={label.id} label={label} />
        ))}
        <Opened
          isNeeded={isUsed}
          onFailure={fail}
          button={<OpenButton autoFocus>{words}</OpenButton>}
          labels={labels}
          value={ids}
          onChange={(next) => draft.set('labels', next.join(' '))}
          meanwhile={
            <OpenButton aria-haspopup="dialog" onPointerEnter={Opened.prepare} onClick={() => setUsed(true)}>
              {words}
            </OpenButton>
          }
        />
      </div>
    </Input.Wrapper>
  );
}

const LabelName = ({ label: { name, colour } }: { label: Label }) => (
  <span className={classes.label} data-colour={colour}>
    {name}
  </span>
);

const OpenButton = (props: ButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>) => (
  <Button {...props} size="compact-sm" variant="default" leftSection={<Tag size={14} aria-hidden />} />
);

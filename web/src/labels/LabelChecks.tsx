import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../api/queries.js';
import { LabelChip } from './LabelChip.js';
import { NewLabel } from './LabelForm.js';
import classes from './Labels.module.css';
import type { Label } from './label.js';
import { useLabels } from './useLabels.js';

export type Check = 'on' | 'off' | 'some';

/** How many labels fit without a search. */
const MANY = 8;

/** All labels, each with a checkbox, and a way to create another one. */
export function LabelChecks({
  checkOf,
  onCheck,
}: {
  /** `some`: of several posts, some have it. */
  checkOf: (id: string) => Check;
  onCheck: (id: string, isOn: boolean) => void;
}) {
  const labels = useLabels();
  const mayWrite = useMay('posts:write');
  const [search, setSearch] = useState('');
  const shown = (labels ?? []).filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div className={classes.checks}>
      {(labels?.length ?? 0) > MANY && (
        <TextInput
          type="search"
          aria-label="Find a label"
          placeholder="Find a label"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {labels && shown.length === 0 && (
        <p className={classes.none}>{labels.length === 0 ? 'No labels yet.' : 'No labels match.'}</p>
      )}
      {shown.length > 0 && (
        <ul className={classes.list} aria-label="Labels">
          {shown.map((label) => (
            <Row key={label.id} label={label} check={checkOf(label.id)} onCheck={onCheck} />
          ))}
        </ul>
      )}
      {mayWrite && <NewLabel onCreated={({ id }) => onCheck(id, true)} />}
    </div>
  );
}

const Row = ({
  label,
  check,
  onCheck,
}: {
  label: Label;
  check: Check;
  onCheck: (id: string, isOn: boolean) => void;
}) => (
  <li>
    <Checkbox
      color="var(--mantine-color-text)"
      iconColor="var(--mantine-color-body)"
      label={<LabelChip label={label} />}
      // A long name ends with an ellipsis, and is told whole.
      title={label.name}
      classNames={{ labelWrapper: classes.words ?? '' }}
      checked={check === 'on'}
      indeterminate={check === 'some'}
      onChange={() => onCheck(label.id, check !== 'on')}
    />
  </li>
);

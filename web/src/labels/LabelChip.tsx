import type { ReactNode } from 'react';
import classes from './LabelChip.module.css';
import type { Label } from './label.js';

export const LabelChip = ({
  label,
  children,
}: {
  label: Pick<Label, 'name' | 'colour'>;
  children?: ReactNode;
}) => (
  <span className={classes.chip} data-colour={label.colour}>
    <span className={classes.name} dir="auto">
      {label.name}
    </span>
    {children}
  </span>
);

const SHOWN = 2;

/** The labels of a post on one line: two of them, and how many more. */
export function LabelChips({ ids, labels }: { ids: readonly string[]; labels: ReadonlyMap<string, Label> }) {
  if (ids.length === 0) return null;
  const known = ids.flatMap((id) => labels.get(id) ?? []);
  const hidden = known.slice(SHOWN);
  return (
    <span className={classes.row} title={known.map(({ name }) => name).join(', ')}>
      {known.slice(0, SHOWN).map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {hidden.length > 0 && (
        <span className={classes.more}>
          <span aria-hidden>+{hidden.length}</span>
          <span className="unseen">{hidden.map(({ name }) => name).join(', ')}</span>
        </span>
      )}
    </span>
  );
}

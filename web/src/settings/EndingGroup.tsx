// What ends with a key, or with a member who is removed: shown before it happens.
import classes from './Settings.module.css';

const MAX_NAMES = 5;

interface GroupProps {
  title: string;
  names: [id: string, name: string][];
  total: number;
}

/** The newest by name, the others by number. Absent if there are none. */
export function EndingGroup({ title, names, total }: GroupProps) {
  if (total === 0) return null;
  const shown = names.slice(0, MAX_NAMES);
  return (
    <section className={classes.effects}>
      <h3>{title}</h3>
      <ul>
        {shown.map(([id, name]) => (
          <li key={id}>{name}</li>
        ))}
        {total > shown.length && <li>and {total - shown.length} more</li>}
      </ul>
    </section>
  );
}

export const times = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

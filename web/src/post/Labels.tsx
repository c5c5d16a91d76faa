import { useQuery } from '@tanstack/react-query';
import { labelsQuery } from '../api/queries.js';
import classes from './Labels.module.css';

/** The labels of a post, by their names and colours. */
export function Labels({ ids }: { ids: string[] }) {
  const all = useQuery(labelsQuery).data ?? [];
  return (
    <ul className={classes.labels}>
      {all
        .filter(({ id }) => ids.includes(id))
        .map(({ id, name, colour }) => (
          <li key={id} className={classes.label} data-colour={colour}>
            {name}
          </li>
        ))}
    </ul>
  );
}

import { Link } from '@tanstack/react-router';
import { Time } from '../ui/Time.js';
import type { Cause } from './attention.js';
import classes from './NextUp.module.css';

/** Its rows are not the posts, which the library counts. */
export const attentionTitle = ({ length }: Cause[]): string =>
  length > 1 ? `Needs attention · ${length} issues` : 'Needs attention';

/** One row per cause. Each leads to where it is mended. */
export const Causes = ({ causes, onLeave }: { causes: Cause[]; onLeave?: () => void }) => (
  <ul className={classes.list}>
    {causes.map(({ key, place, hint, ...words }) => (
      <li key={key}>
        <Link {...place} className={classes.cause} activeProps={{}} title={hint} onClick={onLeave}>
          <CauseWords {...words} />
        </Link>
      </li>
    ))}
  </ul>
);

export const CauseWords = ({ title, todo, due, until }: Pick<Cause, 'title' | 'todo' | 'due' | 'until'>) => (
  <>
    <span className={classes.title}>{title}</span>{' '}
    <span className={classes.needs}>
      {todo}
      {due && (
        <>
          , due <Time at={due} />
        </>
      )}
      {until && (
        <>
          , next try <Time at={until} />
        </>
      )}
    </span>
  </>
);

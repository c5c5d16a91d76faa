import type { Post } from '@airdate/sdk/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { nextUpQuery } from '../api/queries.js';
import { titleOf } from '../text/post-title.js';
import { warningOf } from '../text/readiness.js';
import { Cover } from '../ui/Cover.js';
import { Time } from '../ui/Time.js';
import type { Cause } from './attention.js';
import classes from './NextUp.module.css';
import { troubleOf } from './overview.js';
import shell from './Shell.module.css';

/** Its rows are not the posts, which the library counts. */
export const attentionTitle = ({ length }: Cause[]): string =>
  length > 1 ? `Needs attention · ${length} issues` : 'Needs attention';

/** One row per cause. Each leads to where it is mended. */
export const Causes = ({ causes, onLeave }: { causes: Cause[]; onLeave?: () => void }) => (
  <ul className={classes.list}>
    {causes.map(({ key, place, hint, ...texts }) => (
      <li key={key}>
        <Link {...place} className={classes.cause} activeProps={{}} title={hint} onClick={onLeave}>
          <CauseText {...texts} />
        </Link>
      </li>
    ))}
  </ul>
);

type Texts = Pick<Cause, 'title' | 'todo' | 'due' | 'until' | 'isCalm'>;

export const CauseText = ({ title, todo, due, until, isCalm }: Texts) => (
  <>
    <span className={classes.title} dir="auto">
      {title}
    </span>{' '}
    <span className={classes.needs} data-calm={isCalm || undefined}>
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

/** The next three scheduled posts, and whether they will go out. */
export function NextUp() {
  const next = useQuery(nextUpQuery);
  return (
    <section aria-labelledby="next-up">
      <h2 className={shell.section} id="next-up">
        Next up
      </h2>
      {next.data?.data.length === 0 && <p className={classes.none}>Nothing scheduled.</p>}
      {next.data?.data.map((post) => (
        <Link key={post.id} to="/posts/$postId" params={{ postId: post.id }} className={classes.item}>
          <Cover post={post} isSmall />
          <span className={classes.words}>
            <NextText post={post} />
          </span>
        </Link>
      ))}
    </section>
  );
}

/** A post that will fail says so beside its time. */
export function NextText({ post }: { post: Post }) {
  const trouble = troubleOf(post);
  return (
    <>
      <span className={classes.title} dir="auto">
        {titleOf(post)}
      </span>{' '}
      <span className={classes.when}>{post.scheduled_at && <Time at={post.scheduled_at} />}</span>{' '}
      {trouble && (
        <span className={classes.needs} title={warningOf(post) ?? trouble}>
          {trouble}
        </span>
      )}
    </>
  );
}

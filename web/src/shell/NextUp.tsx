import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { postsQuery } from '../api/queries.js';
import { Cover } from '../ui/Cover.js';
import { WITH_READINESS } from '../ui/readiness.js';
import { Time } from '../ui/Time.js';
import classes from './NextUp.module.css';
import shell from './Shell.module.css';

/** The next three scheduled posts. */
export function NextUp() {
  const next = useQuery(
    postsQuery({ status: 'scheduled', sort: 'scheduled_at', per_page: 3, include: WITH_READINESS }),
  );
  return (
    <section aria-labelledby="next-up">
      <h2 className={shell.section} id="next-up">
        Next up
      </h2>
      {next.data?.data.length === 0 && <p className={classes.none}>Nothing scheduled.</p>}
      {next.data?.data.map((post) => (
        <Link key={post.id} to="/posts/$postId" params={{ postId: post.id }} className={classes.item}>
          <Cover post={post} isSmall />
          <span>
            <span className={classes.title}>{post.title}</span>
            <span className={classes.when}>{post.scheduled_at && <Time at={post.scheduled_at} />}</span>
          </span>
        </Link>
      ))}
    </section>
  );
}

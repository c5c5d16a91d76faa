import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountsQuery, postsQuery } from '../api/queries.js';
import { statusOf } from '../ui/status.js';
import classes from './NextUp.module.css';
import shell from './Shell.module.css';

/** What needs a member: failed and unknown posts, accounts to reconnect. Absent when there is nothing. */
export function NeedsAttention() {
  const posts = useQuery(postsQuery({ needs_attention: true, per_page: 3 }));
  const accounts = useQuery(accountsQuery);
  const broken = (accounts.data ?? []).filter(({ status }) => status === 'reconnect_required');
  const total = (posts.data?.pagination.total ?? 0) + broken.length;
  if (total === 0) return null;
  return (
    <section aria-labelledby="needs-attention">
      <h2 className={shell.section} id="needs-attention">
        Needs attention ({total})
      </h2>
      {broken.map((account) => (
        <Link key={account.id} to="/accounts" className={shell.link}>
          <span className={classes.words}>
            <span className={classes.title}>{account.username}</span>
            <span className={classes.needs}>Reconnect</span>
          </span>
        </Link>
      ))}
      {posts.data?.data.map((post) => (
        <Link key={post.id} to="/posts/$postId" params={{ postId: post.id }} className={shell.link}>
          <span className={classes.words}>
            <span className={classes.title}>{post.title}</span>
            <span className={classes.needs}>{statusOf(post).label}</span>
          </span>
        </Link>
      ))}
    </section>
  );
}

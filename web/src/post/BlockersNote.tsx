// At the top of the page: whether the post is ready, or what is in its way. The next step is the first button below.
import { CircleCheck } from 'lucide-react';
import { useMay } from '../api/permissions.js';
import { usePlatform } from '../api/platform.js';
import { named } from '../text/api-text.js';
import { unknownBecause, withoutCode } from '../text/reason.js';
import { TextLink } from '../ui/links.js';
import { Note } from '../ui/Note.js';
import classes from './PostPage.module.css';
import type { PostFacts } from './usePost.js';

export function BlockersNote({ facts: { post, standing } }: { facts: PostFacts }) {
  const mayWrite = useMay('posts:write');
  const mayManage = useMay('accounts:manage');
  const platform = usePlatform();
  if (!standing)
    // Its outcome is unknown.
    return post.status === 'publishing' && post.last_publish_error !== null ? (
      <div className={classes.standing}>
        <Note tone="attention">
          {named(unknownBecause(post.last_publish_error) ?? withoutCode(post.last_publish_error), platform)}{' '}
          Check the account, then resolve the post. It isn’t sent again until you do.
        </Note>
      </div>
    ) : null;
  const { tone, title, problems } = standing;
  if (problems.length === 0)
    return (
      <p className={classes.ready}>
        <CircleCheck size={16} aria-hidden /> {title}
      </p>
    );
  const isDead = problems.some(({ code }) => code === 'reconnect_required') && tone !== 'publishing';
  return (
    <div className={classes.standing}>
      <Note tone={tone} {...(title === undefined ? {} : { title })}>
        {problems.map(({ code, message }, i) => (
          <p key={code + message} className={classes.problem}>
            {message} {i > 0 && mayWrite && <EditLink postId={post.id} />}
          </p>
        ))}
        {isDead && !mayManage && <p className={classes.problem}>Ask an owner or admin to reconnect it.</p>}
      </Note>
    </div>
  );
}

const EditLink = ({ postId }: { postId: string }) => (
  <TextLink to="/posts/$postId/edit" params={{ postId }}>
    Edit post
  </TextLink>
);

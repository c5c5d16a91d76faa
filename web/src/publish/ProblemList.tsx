import { Note } from '../ui/Note.js';
import { EditLink, PostLink, useIsOnPage } from './links.js';
import classes from './PublishDialog.module.css';
import type { Problem } from './problems.js';

/** What would be refused, each with a link to fix it. */
export function ProblemList({
  problems,
  postId,
  isForLater,
}: {
  problems: Problem[];
  postId: string;
  isForLater: boolean;
}) {
  if (problems.length === 0) return null;
  const hasErrors = problems.some(({ level }) => level === 'error');
  return (
    <Note tone={hasErrors ? 'attention' : 'publishing'} title={titleOf(hasErrors, isForLater)} role="status">
      <ul className={classes.problems}>
        {problems.map((problem) => (
          <li key={problem.code + problem.detail}>
            {problem.detail} <Fix problem={problem} postId={postId} />
          </li>
        ))}
      </ul>
    </Note>
  );
}

function titleOf(hasErrors: boolean, isForLater: boolean): string {
  if (!hasErrors) return 'Good to know';
  return isForLater ? 'Fix this before it’s due, or it won’t go out' : 'Fix this first';
}

/** Problems that no change of the post can fix. */
const OF_THE_OPERATOR = ['public_url', 'safe_mode', 'store_unavailable'];

function Fix({ problem, postId }: { problem: Problem; postId: string }) {
  const isOnPage = useIsOnPage(postId);
  if (OF_THE_OPERATOR.includes(problem.code)) return null;
  if (problem.code === 'wrong_state')
    return isOnPage ? null : <PostLink postId={postId}>See the post</PostLink>;
  return <EditLink postId={postId}>{problem.code === 'no_media' ? 'Add media' : 'Edit post'}</EditLink>;
}

import type { PostProblem } from '@airdate/sdk/core';
import { Text } from '@mantine/core';
import { ApiError } from '../api/client.js';
import { Note, ProblemNote } from '../ui/Note.js';
import { fieldId } from './fields.js';
import { EditLink, PostLink, useIsOnPage } from './links.js';
import classes from './PublishDialog.module.css';
import { isSafeToRepeat, mustReconnect } from './send-errors.js';
import type { Phase } from './sheet-state.js';

/** The outcome of pressing the button, when it did not succeed. */
export function Outcome({
  phase,
  error,
  postId,
  isForLater,
}: {
  phase: Phase;
  error: unknown;
  postId: string;
  isForLater: boolean;
}) {
  const isOnPage = useIsOnPage(postId);
  if (phase === 'unknown')
    return (
      <div className={classes.outcome}>
        <Note tone="attention" role="alert" title="We don’t know whether it was published">
          <span>
            It may be published already, so don’t send it again.{' '}
            {isOnPage ? (
              'Close this to resolve it.'
            ) : (
              <>
                You can resolve it on <PostLink postId={postId}>its page</PostLink>.
              </>
            )}
          </span>
        </Note>
      </div>
    );
  // The post can no longer be sent from here: its page shows why.
  if (phase === 'sent-already')
    return (
      <div className={classes.outcome}>
        <Note tone="publishing" role="status" title="This post is already on its way, or live">
          No need to send it again. {!isOnPage && <PostLink postId={postId}>See the post</PostLink>}
        </Note>
      </div>
    );
  if (!error) return null;
  // Said once, where the account is chosen.
  if (mustReconnect(error)) return null;
  const code = error instanceof ApiError ? error.code : '';
  return (
    <div className={classes.outcome}>
      <ProblemNote error={error} />
      <Text size="xs" c="dimmed" mt={6}>
        {isSafeToRepeat(error) &&
          (isForLater
            ? 'Nothing is lost. Try again.'
            : 'It’s safe to try again: it won’t be published twice.')}
        {code === 'wrong_state' && !isOnPage && <PostLink postId={postId}>See the post</PostLink>}
        {EDITABLE.includes(code) && <EditLink postId={postId}>Edit post</EditLink>}
      </Text>
    </div>
  );
}

/** What a change of the post can answer. */
const EDITABLE = ['no_media', 'caption_too_long', 'platform_refused'];

/** What would be refused, each with a link to fix it. */
export function ProblemList({
  problems,
  postId,
  isForLater,
}: {
  problems: PostProblem[];
  postId: string;
  isForLater: boolean;
}) {
  if (problems.length === 0) return null;
  const hasErrors = problems.some(({ level }) => level === 'error');
  return (
    <div id={fieldId('problems')} tabIndex={-1}>
      <Note
        tone={hasErrors ? 'attention' : 'publishing'}
        title={titleOf(hasErrors, isForLater)}
        role="status"
      >
        <ul className={classes.problems}>
          {problems.map((problem) => (
            <li key={problem.code + problem.detail}>
              {problem.detail} <Fix problem={problem} postId={postId} />
            </li>
          ))}
        </ul>
      </Note>
    </div>
  );
}

function titleOf(hasErrors: boolean, isForLater: boolean): string | undefined {
  if (!hasErrors) return undefined;
  return isForLater ? 'Fix this before it’s due, or it won’t go out' : 'Fix this first';
}

/** Problems that no change of the post can fix. */
const OF_THE_OPERATOR = ['public_url', 'safe_mode', 'store_unavailable'];

function Fix({ problem, postId }: { problem: PostProblem; postId: string }) {
  const isOnPage = useIsOnPage(postId);
  if (OF_THE_OPERATOR.includes(problem.code)) return null;
  if (problem.code === 'wrong_state')
    return isOnPage ? null : <PostLink postId={postId}>See the post</PostLink>;
  return <EditLink postId={postId}>{problem.code === 'no_media' ? 'Add media' : 'Edit post'}</EditLink>;
}

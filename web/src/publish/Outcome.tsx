import { Text } from '@mantine/core';
import { ApiError, messageOf } from '../api/client.js';
import { Note } from '../ui/Note.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { AccountsLink, EditLink, PostLink } from './links.js';
import classes from './PublishDialog.module.css';
import { isOutcomeUnknown, isSafeToRepeat } from './send.js';

/** The outcome of pressing the button, when it did not succeed. */
export function Outcome({
  error,
  isUnderWay,
  postId,
  isForLater,
}: {
  error: unknown;
  /** The post can no longer be sent from here: its page shows why. */
  isUnderWay: boolean;
  postId: string;
  isForLater: boolean;
}) {
  if (isUnderWay)
    return (
      <div className={classes.outcome}>
        <Note tone="publishing" role="status" title="The post is on its way, or out already">
          Nothing has to be sent again. <PostLink postId={postId}>The page of the post</PostLink> says what
          becomes of it.
        </Note>
      </div>
    );
  if (!error) return null;
  if (isOutcomeUnknown(error))
    return (
      <div className={classes.outcome}>
        <Note tone="attention" role="alert" title="It is not known yet whether it was published">
          <span>
            {messageOf(error)}. You can say what happened on{' '}
            <PostLink postId={postId}>the page of the post</PostLink>.
          </span>
        </Note>
      </div>
    );
  const code = error instanceof ApiError ? error.problem.code : '';
  return (
    <div className={classes.outcome}>
      <ProblemNote error={error} />
      <Text size="xs" c="dimmed" mt={6}>
        {isSafeToRepeat(error) &&
          (isForLater
            ? 'Nothing is lost: press the button to try again.'
            : 'It is safe to try again: it will not be published twice.')}
        {code === 'reconnect_required' && <AccountsLink>Connect the account again</AccountsLink>}
        {code === 'wrong_state' && <PostLink postId={postId}>See what became of the post</PostLink>}
        {(code === 'no_media' || code === 'caption_too_long') && (
          <EditLink postId={postId}>Edit the post</EditLink>
        )}
      </Text>
    </div>
  );
}

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
        <Note tone="publishing" role="status" title="This post is already on its way, or live">
          No need to send it again. <PostLink postId={postId}>Its page</PostLink> shows what happens to it.
        </Note>
      </div>
    );
  if (!error) return null;
  if (isOutcomeUnknown(error))
    return (
      <div className={classes.outcome}>
        <Note tone="attention" role="alert" title="We don’t know yet whether it was published">
          <span>
            {messageOf(error)}. You can resolve it on <PostLink postId={postId}>its page</PostLink>.
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
            ? 'Nothing is lost. Try again.'
            : 'It’s safe to try again: it won’t be published twice.')}
        {code === 'reconnect_required' && <AccountsLink>Reconnect the account</AccountsLink>}
        {code === 'wrong_state' && <PostLink postId={postId}>See the post’s status</PostLink>}
        {(code === 'no_media' || code === 'caption_too_long') && (
          <EditLink postId={postId}>Edit post</EditLink>
        )}
      </Text>
    </div>
  );
}

// Publish or schedule a post: who can see it, what viewers may do, disclosure. What the platform demands of such a
// screen is written in its guidelines for apps; each rule has its place in one of the parts.
import { Modal, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { accountsQuery, postQuery } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import type { When } from './form.js';
import classes from './PublishDialog.module.css';
import { PublishSheet } from './PublishSheet.js';

export function PublishDialog({
  postId,
  opened,
  onClose,
  onDone,
  when,
  at,
}: {
  postId: string;
  opened: boolean;
  onClose: () => void;
  /** The post was published or scheduled, and the dialog has closed. */
  onDone?: () => void;
  when?: 'now' | 'schedule';
  at?: string;
}) {
  const isPhone = useMediaQuery('(max-width: 767px)');
  // The dialog cannot be closed while the post is being sent: the member would miss the response.
  const isSending = useRef(false);
  const [isReschedule, setIsReschedule] = useState(false);
  return (
    <Modal
      opened={opened}
      onClose={() => isSending.current || onClose()}
      title={isReschedule ? 'Reschedule' : 'Publish or schedule'}
      size={600}
      fullScreen={isPhone}
      radius={isPhone ? 0 : 14}
      padding={0}
      classNames={{
        content: classes.content ?? '',
        header: classes.header ?? '',
        title: classes.heading ?? '',
        body: classes.body ?? '',
      }}
      closeButtonProps={{ 'aria-label': 'Close dialog' }}
    >
      <Loaded
        postId={postId}
        onClose={onClose}
        onDone={onDone}
        onSending={(is) => {
          isSending.current = is;
        }}
        onReschedule={setIsReschedule}
        {...(when ? { when } : {})}
        {...(at ? { at } : {})}
      />
    </Modal>
  );
}

interface Props {
  postId: string;
  onClose: () => void;
  onSending: (isSending: boolean) => void;
  /** Whether it moves a scheduled post to another time. */
  onReschedule: (is: boolean) => void;
  onDone: (() => void) | undefined;
  when?: When;
  at?: string;
}

function Loaded(props: Props) {
  const [post, accounts] = useQueries({ queries: [postQuery(props.postId), accountsQuery] });
  if (post.data && accounts.data)
    return <PublishSheet {...props} post={post.data} accounts={accounts.data} />;
  const failed = [post, accounts].find(({ isError }) => isError);
  return (
    <div className={classes.scroll}>
      {failed ? (
        <ProblemNote error={failed.error} onRetry={() => void failed.refetch()} />
      ) : (
        <div className={classes.stack} aria-busy>
          <span className="unseen">Loading</span>
          <Skeleton height={112} />
          <Skeleton height={36} />
          <Skeleton height={36} />
          <Skeleton height={160} />
        </div>
      )}
    </div>
  );
}

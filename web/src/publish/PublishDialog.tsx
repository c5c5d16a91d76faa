// Publish or schedule a post: who can see it, what viewers may do, disclosure. What the platform demands of such a
// screen is written in its guidelines for apps; each rule has its place in one of the parts.
import { Modal, Skeleton } from '@mantine/core';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { accountsQuery, dispatchesOfPostQuery, postQuery } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { usePhone } from '../ui/usePhone.js';
import type { When } from './form.js';
import { headingOf } from './heading.js';
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
  const isPhone = usePhone();
  // The dialog cannot be closed while the post is being sent: the member would miss the response.
  const isSending = useRef(false);
  const known = useQueryClient().getQueryData(postQuery(postId).queryKey)?.status;
  // The sheet names itself as soon as it is there; its title stays while it closes.
  const [heading, setHeading] = useState<string>();
  return (
    <Modal
      opened={opened}
      onClose={() => isSending.current || onClose()}
      title={heading ?? headingOf(when ?? (known === 'scheduled' ? 'schedule' : 'now'), known)}
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
        onHeading={setHeading}
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
  onHeading: (heading: string) => void;
  onDone: (() => void) | undefined;
  when?: When;
  at?: string;
}

function Loaded(props: Props) {
  const [post, accounts, attempts] = useQueries({
    queries: [postQuery(props.postId), accountsQuery, dispatchesOfPostQuery(props.postId)],
  });
  // Without its attempts the sheet works too, but it knows less of earlier choices.
  if (post.data && accounts.data && !attempts.isPending)
    return (
      <PublishSheet {...props} post={post.data} accounts={accounts.data} latest={attempts.data?.data[0]} />
    );
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

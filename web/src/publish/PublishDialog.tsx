// Publish or schedule a post: who can see it, what viewers may do, disclosure. What the platform demands of such a
// screen is written in its guidelines for apps; each rule has its place in one of the parts.
import { Modal, Skeleton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';
import { accountsQuery, dispatchesOfPostQuery, postQuery } from '../api/queries.js';
import { ProblemNote } from '../ui/Note.js';
import { usePhone } from '../ui/usePhone.js';
import type { When } from './form.js';
import classes from './PublishDialog.module.css';
import { PublishSheet } from './PublishSheet.js';
import { SheetHeader } from './SheetFooter.js';
import '../ui/overlays.css';

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
  return (
    <Modal
      opened={opened}
      onClose={() => isSending.current || onClose()}
      withCloseButton={false}
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
    >
      <Loaded
        postId={postId}
        onClose={onClose}
        onDone={onDone}
        isSending={isSending}
        {...(when ? { when } : {})}
        {...(at ? { at } : {})}
      />
    </Modal>
  );
}

interface Props {
  postId: string;
  onClose: () => void;
  isSending: RefObject<boolean>;
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
  const status = post.data?.status;
  return (
    <>
      <SheetHeader when={props.when ?? (status === 'scheduled' ? 'schedule' : 'now')} status={status} />
      <div className={classes.scroll}>
        {failed ? (
          <ProblemNote query={failed} />
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
    </>
  );
}

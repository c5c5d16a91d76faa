import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useDeferredValue, useRef } from 'react';
import { ApiError } from '../api/client.js';
import { postQuery, useMay } from '../api/queries.js';
import { NotFound } from '../ui/Fallbacks.js';
import { ButtonLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import { BackLink, EmptyState, Page } from '../ui/Page.js';
import { usePhone } from '../ui/usePhone.js';
import { draftOf } from './draft.js';
import { Editor } from './Editor.js';
import classes from './Editor.module.css';
import { loadChosenSlot } from './unsaved-storage.js';

/** The composer for an existing post. */
export function EditPost({ postId }: { postId: string }) {
  const client = useQueryClient();
  const post = useQuery(postQuery(postId));
  // The editor is large: drawn immediately, it would block the page for longer than a key press may take.
  const known = useDeferredValue(post.data);
  const mayWrite = useCouldWrite();
  const isPhone = usePhone();
  if (known && mayWrite) {
    const draft = draftOf(client, known);
    return <Editor key={draft.key} draft={draft} at={loadChosenSlot(postId)} />;
  }
  if (post.error instanceof ApiError && post.error.status === 404) return <NotFound />;
  return (
    <Page title="Edit post" back={!isPhone && <BackLink />}>
      {!mayWrite && <MayNotWrite postId={postId} />}
      {mayWrite && post.error && <ProblemNote query={post} />}
      {mayWrite && !post.error && <Outline />}
    </Page>
  );
}

/** Who loses the right to write while the editor is open keeps it, with the text: it says so. */
export function useCouldWrite(): boolean {
  const mayWrite = useMay('posts:write');
  const could = useRef(mayWrite);
  if (mayWrite) could.current = true;
  return could.current;
}

export const MayNotWrite = ({ postId }: { postId?: string }) => (
  <EmptyState
    title="You have view-only access"
    action={
      postId !== undefined && (
        <ButtonLink variant="default" to="/posts/$postId" params={{ postId }}>
          View post
        </ButtonLink>
      )
    }
  >
    Your role can’t change posts. Ask an admin to make you an editor.
  </EmptyState>
);

const Outline = () => (
  <div className={classes.columns} role="status" aria-label="Loading">
    <div className={classes.column}>
      <Skeleton height={58} />
      <Skeleton height={176} />
      <Skeleton height={90} />
      <Skeleton height={58} />
    </div>
    <div className={classes.column}>
      <Skeleton height={260} />
    </div>
    <div className={`${classes.column} ${classes.outcome}`}>
      <Skeleton height={484} radius={28} />
    </div>
  </div>
);

export function Composer() {
  const { postId } = useParams({ from: '/inside/posts/$postId/edit' });
  return <EditPost key={postId} postId={postId} />;
}

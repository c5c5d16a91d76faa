// A post that does not exist until something is typed or dropped. From then on the URL is that of the post, while the
// screen stays mounted, so that the writer keeps the cursor in the middle of a word.
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { BackLink, Page } from '../ui/Page.js';
import { takeDroppedFiles } from '../uploads/dropped-files.js';
import type { Draft } from './draft.js';
import { newDraft, openDraft, useDraft } from './draft.js';
import { Editor } from './Editor.js';
import { EditPost, MayNotWrite, useCouldWrite } from './EditPost.js';
import { idOf } from './TextFields.js';
import { saveChosenSlot } from './unsaved-storage.js';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The post that was started here. */
    postId?: string;
  }
}

export function NewPost() {
  const client = useQueryClient();
  const { type, at } = useSearch({ from: '/inside/posts/new' });
  const postId = useLocation({ select: ({ state }) => state.postId });
  const start = () => newDraft(client, type ?? 'slides');
  const [fresh, setFresh] = useState(start);
  const [shownId, setShownId] = useState(postId);
  // "New post" was pressed again: the post started here stays as it is.
  if (shownId !== postId) {
    setShownId(postId);
    if (postId === undefined) setFresh(start);
  }
  const couldWrite = useCouldWrite();
  const draft = postId === undefined ? fresh : openDraft(postId);
  if (!couldWrite)
    return (
      <Page title="New post" back={<BackLink />}>
        <MayNotWrite />
      </Page>
    );
  if (postId !== undefined && !draft) return <EditPost postId={postId} />;
  return draft && <NewPostEditor key={draft.key} draft={draft} at={validTime(at)} />;
}

function NewPostEditor({ draft, at }: { draft: Draft; at: string | undefined }) {
  const { id } = useDraft(draft);
  const navigate = useNavigate();
  useEffect(() => {
    // On a phone the keyboard would cover the screen.
    if (window.matchMedia('(min-width: 768px)').matches) document.getElementById(idOf('title'))?.focus();
  }, []);
  useEffect(() => {
    if (id === undefined) return;
    saveChosenSlot(id, at);
    void navigate({
      to: '/posts/new',
      search: true,
      state: { postId: id },
      mask: { to: '/posts/$postId/edit', params: { postId: id }, unmaskOnReload: true },
      replace: true,
      ignoreBlocker: true,
      resetScroll: false,
    });
  }, [id, at, navigate]);
  return <Editor draft={draft} at={at} takeFirstFiles={takeDroppedFiles} />;
}

const validTime = (at: string | undefined): string | undefined =>
  at !== undefined && Number.isFinite(Date.parse(at)) ? at : undefined;

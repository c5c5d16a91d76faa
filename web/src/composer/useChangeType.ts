// A post that exists keeps its type. So one of the other type takes its place, with its text, and the empty one is deleted.
import type { Post } from '@airdate/sdk/core';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, askForPost } from '../api/client.js';
import { withIdempotencyKey } from '../api/idempotency-keys.js';
import { postQuery, refreshPosts } from '../api/queries.js';
import { UNTITLED } from '../text/post-title.js';
import { showActionNotice, showFailure } from '../ui/action-notice.js';
import { listAssets, removeAsset } from '../uploads/arrange.js';
import { getUploads } from '../uploads/store.js';
import { addUploads, dropUpload } from '../uploads/uploads.js';
import { type Draft, openDraft } from './draft.js';
import { bodyOf, creationOf, FIELDS } from './fields.js';
import { chosenVideo } from './usePostMedia.js';

/** Checked again before the post is deleted: another tab may have uploaded files meanwhile. */
async function isStillEmpty(id: string): Promise<boolean> {
  const { data, pending } = await listAssets(id);
  return data.length + pending.length === 0;
}

/** The cover of slides means nothing to a video, and the other way round. */
const NO_COVER = { cover_index: '', cover_ms: '' };

interface TypeChange {
  postType: Post['post_type'];
  /** Go on in the new post. */
  videos?: readonly File[];
}

/** Of the screen, which may be another one by the time they are used. */
interface Tools {
  client: QueryClient;
  navigate: ReturnType<typeof useNavigate>;
}

const FAILED = 'Couldn’t change the post type';

export function useChangeType(draft: Draft) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (change: TypeChange) => changeType({ client, navigate }, draft, change),
    onError: (error) => showFailure(FAILED, error),
  });
}

async function changeType(
  tools: Tools,
  draft: Draft,
  { postType: post_type, videos = [] }: TypeChange,
): Promise<void> {
  const { client, navigate } = tools;
  await draft.flush();
  const { fields, id: old } = draft.view();
  const { etag } = draft;
  const body = { ...bodyOf(creationOf({ ...fields, ...NO_COVER }, FIELDS, UNTITLED)), post_type };
  const post = await withIdempotencyKey(`type of ${old}`, body, (key) =>
    askForPost(api.data('POST', '/api/v1/posts', { body, idempotencyKey: key })),
  );
  client.setQueryData(postQuery(post.id).queryKey, post);
  // What was refused there says nothing about the new post.
  await dropUploads(client, old);
  if (videos.length > 0) addUploads(client, videos.map(chosenVideo(post.id, false)));
  await navigate({ to: '/posts/$postId/edit', params: { postId: post.id }, replace: true });
  if (videos.length > 0) announceVideoPost(tools, () => openDraft(post.id));
  if (old !== undefined && (await isStillEmpty(old)))
    await api
      .request('DELETE', '/api/v1/posts/{id}', { path: { id: old }, ifMatch: etag })
      .catch((error) => showFailure('Couldn’t delete the empty post', error));
  await refreshPosts(client);
}

const dropUploads = (client: QueryClient, postId: string | undefined) =>
  Promise.all(
    getUploads()
      .filter((upload) => upload.postId === postId)
      .map(({ id }) => dropUpload(client, id)),
  );

/** That a video has made it a video post, which can be undone. The draft is that of the post by then. */
export function announceVideoPost(tools: Tools, draftNow: () => Draft | undefined): void {
  showActionNotice({
    id: 'video-post',
    text: 'This is a video post now.',
    button: {
      label: 'Undo',
      onClick: () =>
        void backToSlides(tools, draftNow()).catch((error: unknown) => showFailure(FAILED, error)),
    },
  });
}

/** Without the video, which would keep the post from being replaced. */
async function backToSlides(tools: Tools, draft: Draft | undefined): Promise<void> {
  if (draft === undefined) return;
  const { id } = draft;
  if (id === undefined) {
    draft.send({ kind: 'type_chosen', postType: 'slides' });
    return;
  }
  await dropUploads(tools.client, id);
  for (const { object_key } of (await listAssets(id)).data) await removeAsset(id, object_key);
  await changeType(tools, draft, { postType: 'slides' });
}

import type { Post } from '@airdate/sdk/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, askForPost } from '../api/client.js';
import { withIdempotencyKey } from '../api/idempotency-keys.js';
import { postQuery, refreshPosts } from '../api/queries.js';
import { UNTITLED } from '../text/post-title.js';
import { showFailure } from '../ui/action-notice.js';
import { Segments } from '../ui/Segments.js';
import { getUploads } from '../uploads/store.js';
import { addUploads, dropUpload } from '../uploads/uploads.js';
import type { Draft } from './draft.js';
import { useDraft } from './draft.js';
import { bodyOf, creationOf, FIELDS } from './fields.js';
import { chosenVideo } from './usePostMedia.js';

/** Slides or a video. An existing post keeps its type; while it is empty, a new post with its text replaces it. */
export function TypeSwitch({ draft, isFixed }: { draft: Draft; isFixed: boolean }) {
  const { id, postType } = useDraft(draft);
  const startAgain = useStartAgain(draft);
  return (
    <Segments
      fullWidth
      aria-label="Post type"
      value={postType}
      disabled={isFixed || startAgain.isPending}
      data={[
        { value: 'slides', label: 'Slides' },
        { value: 'video', label: 'Video' },
      ]}
      onChange={(value) => {
        const type = value as Post['post_type'];
        if (id === undefined) draft.send({ kind: 'type_chosen', postType: type });
        else startAgain.mutate({ postType: type });
      }}
    />
  );
}

/** Checked again before the post is deleted: another tab may have uploaded files meanwhile. */
async function isStillEmpty(id: string): Promise<boolean> {
  const { data, pending } = await api.request('GET', '/api/v1/posts/{id}/assets', { path: { id } });
  return data.length + pending.length === 0;
}

/** The cover of slides means nothing to a video, and the other way round. */
const NO_COVER = { cover_index: '', cover_ms: '' };

interface Start {
  postType: Post['post_type'];
  /** Goes on in the new post. */
  video?: File;
}

export function useStartAgain(draft: Draft) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ postType: post_type, video }: Start) => {
      await draft.flush();
      const { fields, id: old } = draft.view();
      const { etag } = draft;
      const body = { ...bodyOf(creationOf({ ...fields, ...NO_COVER }, FIELDS, UNTITLED)), post_type };
      const post = await withIdempotencyKey(`type of ${old}`, body, (key) =>
        askForPost(api.data('POST', '/api/v1/posts', { body, idempotencyKey: key })),
      );
      client.setQueryData(postQuery(post.id).queryKey, post);
      // What was refused there says nothing about the new post.
      const refused = getUploads().filter(({ postId }) => postId === old);
      await Promise.all(refused.map(({ id }) => dropUpload(client, id)));
      if (video) addUploads(client, [chosenVideo(post.id, false)(video, 0)]);
      await navigate({ to: '/posts/$postId/edit', params: { postId: post.id }, replace: true });
      if (old !== undefined && (await isStillEmpty(old)))
        await api
          .request('DELETE', '/api/v1/posts/{id}', { path: { id: old }, ifMatch: etag })
          .catch((error) => showFailure('Couldn’t delete the empty post', error));
      await refreshPosts(client);
    },
    onError: (error) => showFailure('Couldn’t change the post type', error),
  });
}

import type { Post } from '@airdate/sdk/core';
import { Segments } from '../ui/Segments.js';
import { type Draft, useDraft } from './draft.js';
import { previewFiles } from './preview-files.js';
import { useChangeType } from './useChangeType.js';
import type { Media } from './usePostMedia.js';

/** Slides or a video. An existing post keeps its type; while it is empty, a new post with its text replaces it. */
export function TypeSwitch({ draft, isFixed }: { draft: Draft; isFixed: boolean }) {
  const { id, postType } = useDraft(draft);
  const changeType = useChangeType(draft);
  return (
    <Segments
      fullWidth
      aria-label="Post type"
      value={postType}
      disabled={isFixed || changeType.isPending}
      data={[
        { value: 'slides', label: 'Slides' },
        { value: 'video', label: 'Video' },
      ]}
      onChange={(value) => {
        const type = value as Post['post_type'];
        if (id === undefined) draft.send({ kind: 'type_chosen', postType: type });
        else changeType.mutate({ postType: type });
      }}
    />
  );
}

/** While the post is empty. One that is scheduled waits for its files. */
export const canChangeType = (post: Post | undefined, media: Media): boolean =>
  previewFiles(media).length + media.strays.length === 0 &&
  post?.status !== 'scheduled' &&
  !media.isLoading &&
  media.error === null;

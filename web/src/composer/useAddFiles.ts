// Files that are added anywhere in the composer. A video makes an empty post for slides a post with that video.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isPicture, isVideo } from '../uploads/limits.js';
import type { Draft } from './draft.js';
import { announceVideoPost, useChangeType } from './useChangeType.js';
import type { Media } from './usePostMedia.js';

export function useAddFiles(draft: Draft, media: Media, isTypeFixed: boolean): Media['addFiles'] {
  const client = useQueryClient();
  const navigate = useNavigate();
  const changeType = useChangeType(draft);
  return (files, insteadOf) => {
    const videos = files.filter(isVideo);
    const { id, postType } = draft.view();
    if (isTypeFixed || postType === 'video' || videos.length === 0 || files.some(isPicture))
      return media.addFiles(files, insteadOf);
    if (changeType.isPending) return;
    if (id !== undefined) return changeType.mutate({ postType: 'video', videos });
    draft.send({ kind: 'type_chosen', postType: 'video' });
    media.addFiles(videos);
    announceVideoPost({ client, navigate }, () => draft);
  };
}

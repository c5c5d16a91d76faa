import { useMay } from '../api/queries.js';
import { isUnderWay } from '../uploads/store.js';
import type { PostType } from './draft-state.js';
import { addMediaLabel } from './FilePicker.js';
import { type Obstacle, obstacleOf } from './obstacle.js';
import type { ChosenAccount } from './useChosenAccount.js';
import type { Media } from './usePostMedia.js';
import type { SlideRemoval } from './useRemoveSlide.js';

interface Parts {
  postType: PostType;
  media: Media;
  removal: SlideRemoval;
  chosen: ChosenAccount;
}

/** Why the post on the screen cannot be published yet. */
export function useObstacle({ postType, media, removal, chosen }: Parts): Obstacle | undefined {
  const { account, disconnected } = chosen;
  return obstacleOf({
    mayPublish: useMay('posts:publish'),
    mayManage: useMay('accounts:manage'),
    isUploading: media.uploads.some(isUnderWay),
    isRemoving: removal.leaving.length > 0,
    hasMedia: media.assets.length > 0,
    addMediaLabel: addMediaLabel(postType),
    unusable: disconnected
      ? { ...disconnected, isListed: false }
      : account?.status === 'reconnect_required'
        ? { ...account, isListed: true }
        : undefined,
  });
}

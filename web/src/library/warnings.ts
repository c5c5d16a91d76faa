// Warns early about a post that will fail at its slot, as far as a list can tell.
import type { Post, SocialAccount } from '@airdate/sdk';

export function warningOf(post: Post, account: SocialAccount | undefined): string | null {
  if (post.status === 'archived' || post.status === 'posted') return null;
  if (post.last_publish_error !== null) return post.last_publish_error;
  if (post.status !== 'scheduled') return null;
  if (!hasMedia(post)) return `Will fail: no ${post.post_type} yet.`;
  if (account?.status === 'reconnect_required') return `Won’t go out: reconnect ${account.username}.`;
  if (post.brand_content_toggle && post.privacy_level === 'SELF_ONLY')
    return 'Will fail: branded content can’t be private.';
  return null;
}

/** By its cover, so only for posts that were listed with it. */
export const hasMedia = ({ post_type, cover_url, cover_video_url }: Post): boolean =>
  (post_type === 'video' ? cover_video_url : cover_url) !== null;

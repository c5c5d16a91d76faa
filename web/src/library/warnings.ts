// A post that will fail says so today, not at its hour: as far as a list can tell.
import type { Post, SocialAccount } from '@airdate/sdk';

export function warningOf(post: Post, account: SocialAccount | undefined): string | null {
  if (post.status === 'archived' || post.status === 'posted') return null;
  if (post.last_publish_error !== null) return post.last_publish_error;
  if (post.status !== 'scheduled') return null;
  if (post.post_type === 'slides' && post.cover_url === null) return 'Will fail: it has no slides yet.';
  if (account?.status === 'reconnect_required') return `Will not go out: connect ${account.username} again.`;
  if (post.brand_content_toggle && post.privacy_level === 'SELF_ONLY')
    return 'Will fail: branded content cannot be visible to you alone.';
  return null;
}

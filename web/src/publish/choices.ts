// Which options of a post have been chosen for it. The platform wants audience and interactions chosen each time, so stored values
// count only if a form has written them, or a caller of the API, who has chosen too (decision 0028): a retry begins with those,
// and a new post with none. Pure.
import type { Dispatch, Post } from '@airdate/sdk/core';
import { ONLY_ME } from '../text/audiences.js';

/** `latest` is the latest attempt. */
export function wasChosen(post: Post, latest: Pick<Dispatch, 'mode'> | undefined): boolean {
  // For the inbox they are chosen in the app.
  if (post.privacy_level === null || post.publish_mode === 'inbox') return false;
  if (post.status !== 'draft') return true;
  // The request for the inbox must name an audience, so it names the narrowest: no person chose it.
  if (latest?.mode === 'inbox' && post.privacy_level === ONLY_ME) return false;
  const wasSent = latest !== undefined || post.last_slot !== null || post.last_publish_error !== null;
  // A draft that was unscheduled has its form's values. Toggles that are all off may never have been looked at.
  return wasSent || TOGGLES.some((name) => post[name]);
}

/** The account of a post, or else that of its latest attempt: a post that was refused immediately does not name it. */
export const accountIdOf = (
  { social_account_id }: Pick<Post, 'social_account_id'>,
  latest: Pick<Dispatch, 'social_account_id'> | undefined,
): string | null => social_account_id ?? latest?.social_account_id ?? null;

const TOGGLES = [
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
] as const;

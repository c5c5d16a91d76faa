// What became of the last attempt, as far as it still matters: why it failed, when, and whether that has been dealt with. Pure.
import type { Asset, Dispatch, Post, SocialAccount } from '@airdate/sdk/core';
import { codeOf, named, type PlatformName, withoutCode } from '../text/api-text.js';

export interface Failure {
  code: string;
  /** For people, and as exact as the stored facts allow. */
  message: string;
  /** When it failed; null if that is not known. */
  at: string | null;
  /** Nothing has been done about it. A failure that no attempt stands for, such as a missed slot, stays open until the next one. */
  isOpen: boolean;
}

export interface KnownFacts {
  latest: Dispatch | undefined;
  assets: Asset[] | undefined;
  account: SocialAccount | undefined;
  platform: PlatformName;
}

const SIZE = 'picture_size_check_failed';
const OF_THE_ACCOUNT = [
  'reconnect_required',
  'auth_removed',
  'access_token_invalid',
  'scope_not_authorized',
  'scope_permission_missed',
];

/** The platform accepts no posts of the account, or of the app, for a while. A scheduled post waits. */
const OF_A_BLOCK = [
  'spam_risk_too_many_posts',
  'spam_risk_too_many_pending_share',
  'spam_risk_user_banned_from_posting',
  'reached_active_user_cap',
];

export function failureOf(post: Post, facts: KnownFacts): Failure | null {
  const reason = post.last_publish_error;
  if (reason === null || (post.status !== 'draft' && post.status !== 'scheduled')) return null;
  const { latest, account } = facts;
  const code = codeOf(reason);
  const said = named(withoutCode(reason), facts.platform);
  const isOfLatest = latest?.outcome === 'failed' && latest.error_message === reason;
  const ended = latest?.finished_at ?? null;
  const at = isOfLatest ? ended : (post.last_slot ?? ended);
  // By what is sent: a label, or a visit to the archive, is no change that could help.
  const isChanged = isOfLatest && latest.post_changed === true;
  if (OF_THE_ACCOUNT.includes(code)) {
    const isOpen = account?.status !== 'connected';
    // The same cause as the account's own problem, so it goes by the same code.
    return { code: 'reconnect_required', message: said, at, isOpen };
  }
  // Likewise.
  if (OF_A_BLOCK.includes(code) && post.status === 'scheduled')
    return { code: 'account_blocked', message: said, at, isOpen: true };
  if (code === SIZE) {
    const odd = oddSizes(post, facts.assets);
    const isOpen = odd.length > 0 || !isChanged;
    return { code, message: sizeMessage(post, odd, facts), at, isOpen };
  }
  return { code, message: said, at, isOpen: !isChanged };
}

interface Sized {
  name: string;
  size: string;
}

const MIN_SIDES = { shorter: 540, longer: 960 };
const BEST = '1080 × 1920';
/** Narrower than this is a strip. */
const MAX_RATIO = 3;

/** The files that are smaller than every phone shows, or nothing like a picture. */
function oddSizes({ post_type }: Post, assets: Asset[] | undefined): Sized[] {
  return (assets ?? []).flatMap(({ width, height }, i) => {
    const shorter = Math.min(width, height);
    const longer = Math.max(width, height);
    const isOdd = shorter < MIN_SIDES.shorter || longer < MIN_SIDES.longer || longer / shorter > MAX_RATIO;
    const name = post_type === 'video' ? 'the video' : `slide ${i + 1}`;
    return isOdd ? [{ name, size: `${width} × ${height}` }] : [];
  });
}

function sizeMessage(
  { post_type }: Post,
  odd: Sized[],
  { assets, platform: { atStart } }: KnownFacts,
): string {
  const advice = `Use at least ${MIN_SIDES.shorter} × ${MIN_SIDES.longer}; ${BEST} is best.`;
  if (odd.length > 0) {
    const files = LIST.format(odd.map(({ name, size }) => `${name} (${size})`));
    return `${atStart} didn’t accept the size of ${files}. ${advice}`;
  }
  const sizes = (assets ?? []).map(({ width, height }) => `${width} × ${height}`);
  if (post_type === 'slides' && sizes.length > 1)
    return `${atStart} rejected the size of a slide, but didn’t say which. ${whichSlide(sizes)}`;
  const [size] = sizes;
  const refused = `${atStart} didn’t accept the size of ${post_type === 'video' ? 'the video' : 'the slide'}`;
  // It is as good as can be, so the file itself is in doubt.
  if (size === BEST) return `${refused}, though it is ${BEST}. Replace the file.`;
  return `${refused}${size ? ` (${size})` : ''}. ${BEST} is best.`;
}

/** What the sizes tell about several slides, none of them odd. */
function whichSlide(sizes: string[]): string {
  const all = sizes.length === 2 ? 'Both' : `All ${sizes.length}`;
  const others = sizes.flatMap((size, i) => (size === BEST ? [] : [`slide ${i + 1} (${size})`]));
  if (others.length === 0) return `${all} are ${BEST}, which should work. Try again, or replace them.`;
  if (others.length < sizes.length) return `Check ${LIST.format(others)} first: ${BEST} is best.`;
  return new Set(sizes).size === 1 ? `${all} are ${sizes[0]}. ${BEST} is best.` : `${BEST} is best.`;
}

const LIST = new Intl.ListFormat('en-GB');

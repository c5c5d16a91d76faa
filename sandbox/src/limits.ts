// The platform's business rules. Banned accounts are always refused; the other rules apply only in strict mode, the caps also
// with the setting `caps`.

import { DAY_MS, type Platform } from './platform.js';
import { ApiError, invalid } from './responses.js';
import type { AccountRow } from './store.js';

export const PRIVACY_LEVELS = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
];

/** Calls per minute and access token. */
const PER_MINUTE = {
  user_info: 600,
  video_list: 600,
  video_query: 600,
  creator_info: 20,
  video: 6,
  inbox_video: 6,
  content: 6,
  status: 30,
};
export type LimitedCall = keyof typeof PER_MINUTE;

const MINUTE_MS = 60_000;
const PENDING_SHARES = 5;
const UNAUDITED_USERS = 5;

/** The times of the last minute's calls. A restart resets them. */
const calls = new WeakMap<Platform, Map<string, number[]>>();

/** Counts a call in its sliding minute, or refuses it. */
export function countCall(platform: Platform, call: LimitedCall, accessToken: string): void {
  if (!platform.options.strict) return;
  const windows = calls.get(platform) ?? new Map<string, number[]>();
  calls.set(platform, windows);
  const now = platform.now();
  const window = (windows.get(`${call} ${accessToken}`) ?? []).filter((at) => at > now - MINUTE_MS);
  if (window.length >= PER_MINUTE[call]) throw new ApiError('rate_limit_exceeded');
  windows.set(`${call} ${accessToken}`, [...window, now]);
}

/** Which privacy levels a creator may choose. */
export function privacyOptions(strict: boolean, account: AccountRow): string[] {
  if (!strict) return PRIVACY_LEVELS;
  const widest = account.is_private ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE';
  return [widest, 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'];
}

export function checkPrivacy({ options, settings }: Platform, account: AccountRow, level: unknown): void {
  if (typeof level !== 'string') throw invalid('privacy_level is missing.');
  if (!privacyOptions(options.strict, account).includes(level))
    throw new ApiError('privacy_level_option_mismatch');
  const isPrivate = account.is_private === 1 && level === 'SELF_ONLY';
  if (options.strict && !settings.audited && !isPrivate)
    throw new ApiError('unaudited_client_can_only_post_to_private_accounts');
}

/** A URL to pull from: any http URL when lenient, of its service alone when mounted; in strict mode https, a domain, and verified as the client's own. */
export function checkUrl({ options, settings }: Platform, text: unknown): void {
  if (typeof text !== 'string' || !URL.canParse(text)) throw invalid('The URL is invalid.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('The URL is invalid.');
  if (options.mounted && url.origin !== options.mounted.mediaOrigin())
    throw new ApiError('url_ownership_unverified');
  if (!options.strict) return;
  const isAddress = /^[\d.]+$|^\[/.test(url.hostname);
  if (url.protocol !== 'https:' || isAddress || url.username || url.password)
    throw invalid('The URL is invalid.');
  const owns = (property: string) =>
    property.startsWith('https://')
      ? url.href.startsWith(property)
      : url.hostname === property || url.hostname.endsWith(`.${property}`);
  if (!settings.verified_urls.some(owns)) throw new ApiError('url_ownership_unverified');
}

/** May this creator post directly now? */
export function assertMayPost(platform: Platform, account: AccountRow): void {
  assertNotBanned(account);
  if (!hasCaps(platform)) return;
  const { settings } = platform;
  const today = recent(platform, "username = ? and mode = 'direct'", account.username);
  if (today >= settings.posts_per_day) throw new ApiError('spam_risk_too_many_posts');
  const cap = settings.audited ? settings.active_user_cap : UNAUDITED_USERS;
  if (cap === null || today > 0) return;
  const { n } = platform.store.get<{ n: number }>(
    "select count(distinct username) as n from publishes where at > ? and mode = 'direct'",
    platform.now() - DAY_MS,
  ) as { n: number };
  if (n >= cap) throw new ApiError('reached_active_user_cap');
}

/** May this creator's inbox take one more draft? */
export function assertMayShare(platform: Platform, account: AccountRow): void {
  assertNotBanned(account);
  if (!hasCaps(platform)) return;
  const isPending = "username = ? and mode = 'inbox' and status not in ('PUBLISH_COMPLETE', 'FAILED')";
  if (recent(platform, isPending, account.username) >= PENDING_SHARES)
    throw new ApiError('spam_risk_too_many_pending_share', undefined, platform.settings.pending_share_status);
}

const hasCaps = ({ options, settings }: Platform) => options.strict || settings.caps;

function assertNotBanned(account: AccountRow): void {
  if (account.is_banned) throw new ApiError('spam_risk_user_banned_from_posting');
}

function recent(platform: Platform, condition: string, username: string): number {
  const sql = `select count(*) as n from publishes where ${condition} and at > ?`;
  return platform.store.get<{ n: number }>(sql, username, platform.now() - DAY_MS)?.n ?? 0;
}

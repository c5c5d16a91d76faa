// Whether a post will go out, and what is in its way, from stored facts alone: the platform is never asked. Cards, lists, the
// calendar and the event `post.at_risk` all show this one answer. Preflight adds what only the platform knows.
import { type Block, causeOf } from '../../accounts/blocks.js';
import { splitScopes } from '../../accounts/stored-tokens.js';
import type { TxApp } from '../../app/app.js';
import type { Finding, Media, VideoMedia } from '../../connectors/connector.js';
import type { PostRow, SocialAccountRow } from '../../db/tables.js';
import { DEFAULT_PLATFORM } from '../../request/platforms.js';
import type { Readiness } from '../schema.js';
import { allows } from '../state.js';
import {
  draftOf,
  finding,
  findingsOf,
  type MissingFiles,
  missingFinding,
  NOTHING_MISSING,
  warning,
} from './findings.js';

export type KnownAccount = Pick<SocialAccountRow, 'platform' | 'username' | 'status' | 'scopes'> & {
  /** What the platform refuses at the moment. */
  block?: Block | null;
};

/** The files of a post, as far as readiness depends on them. */
export interface KnownFiles {
  slides: number;
  video: VideoMedia | null;
  /** Uploads of clients that have not arrived, while their URLs are valid. */
  pending: number;
  missing: MissingFiles;
}

export const NO_FILES: KnownFiles = { slides: 0, video: null, pending: 0, missing: NOTHING_MISSING };

/** The most urgent problem first. Null for a post that no longer has to go out: publishing, posted or archived. */
export function readinessOf(
  app: Pick<TxApp, 'connector'>,
  post: PostRow,
  account: KnownAccount | null,
  files: KnownFiles,
): Readiness | null {
  if (!allows('publish', post.status)) return null;
  const connector = app.connector(account?.platform ?? DEFAULT_PLATFORM);
  const findings = findingsOf(connector, draftOf(post, post), mediaOf(post, files), null).filter(
    ({ level, code }) => level === 'error' && !(isChosenLater(post) && code === 'privacy_level_missing'),
  );
  const hasFiles = findings.every(({ code }) => code !== 'no_media');
  const missing = missingFinding(files.missing);
  const unfinished = missing ? [missing] : files.pending > 0 ? [uploadsPending(hasFiles)] : [];
  const problems = [
    ...accountFindings(post, account),
    ...(account?.status === 'connected' ? scopeFindings(connector, post, account) : []),
    // A file that is on its way or was rejected explains why there is no media.
    ...findings.filter(({ code }) => code === 'no_media' && unfinished.length === 0),
    ...unfinished,
    ...findings.filter(({ code }) => code !== 'no_media'),
    ...slotFindings(post),
  ];
  return { ready: problems.every(({ level }) => level !== 'error'), problems };
}

/** Every publish request names a privacy level: a draft need not have one before. */
const isChosenLater = ({ status }: PostRow) => status === 'draft';

/** No account, one that cannot be used until a member connects it again, or one that the platform has blocked. */
export function accountFindings(
  post: Pick<PostRow, 'social_account_id' | 'status' | 'scheduled_at'>,
  account: Pick<KnownAccount, 'status' | 'username' | 'block'> | null | undefined,
): Finding[] {
  if (post.social_account_id === null)
    return [finding('account_missing', 'Choose the account to publish to.', 'social_account_id')];
  if (account?.status === 'connected') return blockFindings(post, account);
  return [
    finding(
      'reconnect_required',
      account?.status === 'reconnect_required'
        ? `Reconnect ${account.username}.`
        : `Connect ${account?.username ?? 'the account'} again, or choose another account.`,
      'social_account_id',
    ),
  ];
}

/** A draft may be published at any time; a scheduled post is concerned if its slot comes before the end of the block. */
function blockFindings(
  { status, scheduled_at }: Pick<PostRow, 'status' | 'scheduled_at'>,
  { username, block }: Pick<KnownAccount, 'username' | 'block'>,
): Finding[] {
  const isScheduled = status === 'scheduled' && scheduled_at !== null;
  if (!block || (isScheduled && scheduled_at >= block.until)) return [];
  const cause = `The platform accepts no posts of ${username} right now: ${causeOf(block)}.`;
  const detail = isScheduled ? `${cause} The post waits.` : `${cause} Schedule the post, or try again later.`;
  return [finding('account_blocked', detail, 'social_account_id')];
}

/** A draft may keep a time for which nothing is booked: then it looks planned, and nothing goes out. */
export const slotFindings = ({
  status,
  scheduled_at,
}: Pick<PostRow, 'status' | 'scheduled_at'>): Finding[] =>
  status === 'draft' && scheduled_at !== null
    ? [
        warning(
          'time_without_slot',
          "The post has a time but isn't scheduled, so nothing goes out then. Schedule it, or remove the time.",
          'scheduled_at',
        ),
      ]
    : [];

/** The consent was too small for the mode. Accounts from before scopes were stored have none. */
function scopeFindings(
  { consent }: ReturnType<TxApp['connector']>,
  { publish_mode }: PostRow,
  { scopes, username }: KnownAccount,
): Finding[] {
  const granted = splitScopes(scopes);
  const isEnough = publish_mode === 'inbox' ? consent.allowsInbox(granted) : consent.allowsDirect(granted);
  if (granted.length === 0 || isEnough) return [];
  const what = publish_mode === 'inbox' ? 'inbox drafts' : 'publishing';
  return [finding('reconnect_required', `Reconnect ${username} and allow ${what}.`, 'social_account_id')];
}

const uploadsPending = (hasFiles: boolean): Finding =>
  hasFiles
    ? warning('uploads_pending', 'Wait for the upload to finish, or the post goes out without it.')
    : finding('uploads_pending', 'Wait for the upload to finish.');

/** Rules look at the number of slides, not at their addresses. */
const mediaOf = ({ post_type }: PostRow, { slides, video }: KnownFiles): Media =>
  post_type === 'video'
    ? (video ?? { bytes: 0, contentType: '' })
    : { addresses: Array.from({ length: slides }, () => '') };

// What a platform response means, as a pure function over tables: call plus error or fault → outcome.
import type { PlatformFailure } from '../connector.js';
import type { Answer } from './api.js';
import type { Fault } from './http.js';

export type Call =
  | 'creator'
  | 'identity'
  /** The platform fetches the files: the init alone publishes. */
  | 'init_pull'
  /** Nothing is published before the bytes arrive. */
  | 'init_upload'
  | 'status'
  | 'exchange'
  | 'refresh'
  | 'revoke';

/** Why there is no answer: an error of the platform, or of the connection. */
export type Failure = Exclude<Answer, { data: unknown }>;

/** The platform documents no such header, but counts its limits by the minute. */
const RATE_WINDOW_MS = 60_000;

type Meaning = 'refused' | 'blocked' | 'refresh' | 'consent' | 'limited' | 'broken' | 'busy';

/** Every code, its meaning, and the text for people. An unknown code counts as refused. */
export const CODES: Readonly<Record<string, readonly [meaning: Meaning, text: string]>> = {
  invalid_param: ['refused', "The platform doesn't accept the post as it is"],
  invalid_params: ['refused', "The platform doesn't accept the post as it is"],
  invalid_file_upload: ['refused', "The platform doesn't accept the file"],
  app_version_check_failed: ['refused', "Update the app on the account's phone, then publish again"],
  invalid_publish_id: ['refused', 'The platform does not know this publication'],
  token_not_authorized_for_specified_publish_id: ['refused', 'The publication belongs to another account'],
  publish_not_cancellable: ['refused', 'The publication can no longer be stopped'],
  access_token_invalid: ['refresh', "The platform no longer accepts the account's access token"],
  scope_not_authorized: ['consent', "The account didn't allow this. Reconnect it and allow everything"],
  scope_permission_missed: ['consent', "The account didn't allow this. Reconnect it and allow everything"],
  spam_risk_too_many_posts: ['blocked', 'The account has reached its post limit for 24 hours'],
  spam_risk_user_banned_from_posting: ['blocked', 'The account is banned from posting'],
  spam_risk_too_many_pending_share: [
    'blocked',
    'Too many drafts are waiting in the inbox. Post or discard some first',
  ],
  spam_risk_text: ['refused', 'The text was flagged as spam. Change it'],
  spam_risk: ['refused', 'The post was flagged as spam'],
  reached_active_user_cap: ['blocked', 'The platform accepts no more posts through this app for 24 hours'],
  unaudited_client_can_only_post_to_private_accounts: [
    'refused',
    'Until the platform has audited this app, it can post only to private accounts',
  ],
  url_ownership_unverified: ['refused', 'The domain of the files is not verified with the platform'],
  privacy_level_option_mismatch: ['refused', "The account can't use this audience. Choose another"],
  rate_limit_exceeded: ['limited', 'The platform is limiting requests right now'],
  internal_error: ['broken', 'The platform reports an internal error'],

  access_denied: ['refused', 'The account did not allow access'],
  invalid_client: ['refused', 'The platform does not know this app. Check its key and secret'],
  invalid_grant: ['refused', 'The consent has expired or was already used. Reconnect the account'],
  invalid_request: [
    'refused',
    'The platform does not accept the request. Check the redirect URL of this app',
  ],
  invalid_scope: ['refused', 'The platform does not grant this app the scopes it asks for'],
  unauthorized_client: ['refused', 'The platform does not allow this app to connect accounts'],
  unsupported_grant_type: ['refused', 'The platform does not accept the request'],
  unsupported_response_type: ['refused', 'The platform does not accept the request'],
  server_error: ['broken', 'The platform reports an internal error'],
  temporarily_unavailable: ['busy', 'The platform is temporarily unavailable'],
};

const DAY_MS = 86_400_000;

/**
 * Whom the platform blocks, and what it counts over a day. It documents no end of a ban, so that is tried once a day. Its other
 * codes for spam are about the post.
 */
const BLOCKS: Readonly<Record<string, readonly [scope: 'account' | 'platform', isRolling: boolean]>> = {
  spam_risk_too_many_posts: ['account', true],
  spam_risk_too_many_pending_share: ['account', true],
  spam_risk_user_banned_from_posting: ['account', false],
  reached_active_user_cap: ['platform', true],
};

export const BLOCK_CODES: ReadonlySet<string> = new Set(Object.keys(BLOCKS));

/** Why the platform gave up on a post, and whether a new attempt may succeed. */
export const FAIL_REASONS: Readonly<Record<string, readonly [isRepeatable: boolean, text: string]>> = {
  file_format_check_failed: [false, "The file format isn't supported"],
  duration_check_failed: [false, 'The video is too long or too short for the account'],
  frame_rate_check_failed: [false, "The video's frame rate isn't supported"],
  picture_size_check_failed: [false, "A file's width or height isn't supported"],
  internal: [true, 'The platform reports an internal error'],
  video_pull_failed: [true, "The platform couldn't fetch the video"],
  photo_pull_failed: [true, "The platform couldn't fetch the slides"],
  publish_cancelled: [false, 'The publication was cancelled'],
  auth_removed: [false, 'The account revoked its access. Reconnect it'],
  spam_risk_too_many_posts: [false, 'The account has reached its post limit for 24 hours'],
  spam_risk_user_banned_from_posting: [false, 'The account is banned from posting'],
  spam_risk_text: [false, 'The text was flagged as spam. Change it'],
  spam_risk: [false, 'The post was flagged as spam'],
};

const FAULTS: Record<Fault, readonly [code: string, text: string]> = {
  not_sent: ['not_reached', "The platform couldn't be reached"],
  lost: ['no_answer', "The platform didn't answer"],
  malformed: ['bad_answer', 'The platform sent an unusable response'],
};

/** What a server or a proxy answers without a code of the platform. */
const STATUSES = [400, 401, 403, 404, 408, 409, 410, 413, 416, 429, 500, 502, 503, 504];

/** Every code that a failure may carry, except those that the platform does not document. */
export const KNOWN_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(CODES),
  ...Object.keys(FAIL_REASONS),
  ...Object.values(FAULTS).map(([code]) => code),
  ...STATUSES.map((status) => `http_${status}`),
  'failed',
]);

/** What every failure says. */
export const failure = <Kind extends string>(kind: Kind, code: string, text: string) => ({
  kind,
  code,
  reason: `${text} (${code})`,
});

/** Codes from outside go into sentences and rows only if they look like codes. */
export const cleanCode = (code: string, otherwise: string): string =>
  /^[\w.-]{1,64}$/.test(code) ? code : otherwise;

export function failureFrom(call: Call, cause: Failure): PlatformFailure {
  if ('fault' in cause) {
    const [code, text] = FAULTS[cause.fault];
    return cause.fault === 'not_sent' ? later(code, text) : unanswered(call, code, text);
  }
  const { status, message, retryAfterMs } = cause.refusal;
  // Documented as a code, but observed as the message of another code.
  const named = message === 'invalid_publish_id' ? message : cause.refusal.code;
  const code = cleanCode(named, `http_${status}`);
  const [meaning, text] = meaningOf(call, status, code);
  switch (meaning) {
    case 'limited':
      return later(code, text, retryAfterMs ?? RATE_WINDOW_MS);
    case 'busy':
      return later(code, text, retryAfterMs);
    case 'broken':
      return isInit(call) ? unanswered(call, code, text) : later(code, text, retryAfterMs);
    case 'refresh':
    case 'consent':
      return { ...failure('reauthorize', code, text), cure: meaning };
    case 'blocked':
      return isForPosting(call) ? blocked(code, text) : refusedBy(call, code, text);
    case 'refused':
      return refusedBy(call, code, text);
  }
}

function refusedBy(call: Call, code: string, text: string): PlatformFailure {
  // An error in the status query does not tell what became of the post.
  if (call === 'status') return failure('unknown', code, text);
  return { ...failure('refused', code, text), isRepeatable: false };
}

function blocked(code: string, text: string): PlatformFailure {
  const [scope, isRolling] = ownEntry(BLOCKS, code) ?? ['account', false];
  return { ...failure('blocked', code, text), scope, windowMs: DAY_MS, isRolling };
}

export function failedOutcome(failReason: string): PlatformFailure {
  const code = cleanCode(failReason, 'failed');
  const [isRepeatable, text] = ownEntry(FAIL_REASONS, code) ?? [false, 'The platform gave up on the post'];
  if (BLOCK_CODES.has(code)) return blocked(code, text);
  return { ...failure('refused', code, text), isRepeatable };
}

function meaningOf(call: Call, status: number, code: string): readonly [Meaning, string] {
  if (code === 'invalid_grant' && call === 'refresh')
    return ['consent', 'The access of this account has ended. Reconnect it'];
  // The platform revokes live tokens only.
  if (code === 'invalid_grant' && call === 'revoke')
    return ['refresh', "The account's access token has expired"];
  const known = ownEntry(CODES, code);
  if (status === 429 && (!known || known[0] === 'broken'))
    return CODES.rate_limit_exceeded as [Meaning, string];
  // A call for tokens has no access token that could be renewed.
  if (known) return isForTokens(call) && known[0] === 'refresh' ? ['refused', known[1]] : known;
  if (status === 401 && code === 'http_401' && !isForTokens(call))
    return CODES.access_token_invalid as [Meaning, string];
  if (status >= 500 || status === 408) return CODES.internal_error as [Meaning, string];
  return ['refused', 'The platform refused the request'];
}

const isForTokens = (call: Call) => call === 'exchange' || call === 'refresh';
const isForPosting = (call: Call) => call === 'creator' || isInit(call);
const isInit = (call: Call) => call === 'init_pull' || call === 'init_upload';

/** The request may have arrived. Calls that only read can be repeated. */
function unanswered(call: Call, code: string, text: string): PlatformFailure {
  if (call === 'creator' || call === 'identity' || call === 'status') return later(code, text);
  return failure('unknown', code, text);
}

/** A failure after which the call may be repeated: nothing arrived, or nothing that counts. */
export const later = (code: string, text: string, retryAfterMs?: number) => ({
  ...failure('later', code, text),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

const ownEntry = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

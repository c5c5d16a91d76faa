// The tables of accounts and attempts; see tables.ts.
import type { Generated, Selectable } from 'kysely';

export interface SocialAccountTable {
  org_id: string;
  id: string;
  /** The name of its connector. */
  platform: Generated<string>;
  username: string;
  display_name: string | null;
  status: 'connected' | 'reconnect_required' | 'disconnected';
  /** The account's id on the platform. Null only for accounts that were never really connected. */
  open_id: string | null;
  avatar_url: string | null;
  /** Granted scopes, separated by single spaces. */
  scopes: Generated<string>;
  /** Why the account must be reconnected, as a sentence that ends with its code. */
  status_reason: string | null;
  status_reason_code: string | null;
  /** Sealed, like the refresh token. */
  access_token: string | null;
  access_expires_at: number | null;
  refresh_token: string | null;
  refresh_expires_at: number | null;
  /** When the worker renews the tokens, or finishes a revocation. */
  refresh_at: number | null;
  /** Until when one process has the account's renewal lease. */
  refreshing_until: number | null;
  /** The fence of the renewal lease: raised by every change of the tokens, and when a process acquires or releases the lease. */
  token_fence: Generated<number>;
  /** What the dashboard fills in when a member publishes to the account. The API's own defaults ignore it. */
  default_mode: 'direct' | 'inbox' | null;
  default_hashtags: string | null;
  /** Until then the platform is expected to refuse every post of the account; afterwards one goes first. Null: not blocked. */
  blocked_until: number | null;
  /** Why, as a sentence that ends with its code. Both are null if and only if `blocked_until` is. */
  block_reason: string | null;
  block_reason_code: string | null;
  created_at: number;
  updated_at: number;
}

/** The columns of an account that calls to the platform in its name need. */
export const TOKEN_COLUMNS = [
  'org_id',
  'id',
  'platform',
  'status',
  'status_reason',
  'open_id',
  'scopes',
  'access_token',
  'access_expires_at',
  'refresh_token',
  'refresh_at',
  'token_fence',
  'updated_at',
] as const satisfies (keyof SocialAccountTable)[];

/** A platform that refuses the posts of all accounts, because the app has reached its cap. */
export interface PlatformBlockTable {
  platform: string;
  blocked_until: number;
  reason: string;
  reason_code: string;
  /** The attempt that goes first afterwards, and its organization. */
  probe_org_id: string | null;
  probe_id: string | null;
}

/** A pending consent. Used once. */
export interface OauthStateTable {
  /** SHA-256 of the state, in hex. */
  hash: string;
  org_id: string;
  platform: Generated<string>;
  /** Sealed. */
  verifier: string;
  redirect_uri: string;
  /** The session it was begun in, if any: it can only be finished there. */
  session_id: string | null;
  /** Who began it, for the audit log: JSON. */
  begun_by: string | null;
  /** The account to be reconnected, if one is meant. */
  account_id: string | null;
  created_at: number;
  expires_at: number;
}

/** One attempt to publish: its public log entry, and what the engine needs to continue it; see publishing/. */
export interface DispatchTable {
  org_id: string;
  id: string;
  post_id: string;
  social_account_id: string;
  platform: Generated<string>;
  /** Called `trigger` on the wire, which is a reserved word in SQL. */
  trigger_kind: 'api' | 'dashboard' | 'schedule' | 'retry';
  /** The attempt number within its post, from 1. */
  attempt: number;
  mode: 'direct' | 'inbox';
  outcome: 'started' | 'accepted' | 'published' | 'in_inbox' | 'failed' | 'unknown';
  /** What is left to do. */
  phase: 'sending' | 'transferring' | 'observing' | 'done';
  publish_id: string | null;
  /** The platform's own status. */
  social_status: string | null;
  post_url: string | null;
  /** The platform's id of the post, in digits: it does not fit into a JavaScript number. */
  platform_post_id: string | null;
  /** Why it was not accepted. */
  failure: 'retryable' | 'refused' | 'reauthorize' | 'unknown' | null;
  error_code: string | null;
  error_message: string | null;
  retry_after_ms: number | null;
  /** The slot it was for. */
  scheduled_for: number | null;
  started_at: number;
  accepted_at: number | null;
  finished_at: number | null;
  /** When the platform last reported a status. */
  checked_at: number | null;
  /** The attempt that replaced this one after its process died. */
  continued_by: string | null;
  /** What is sent, as JSON: text, options and files as of the attempt's beginning. */
  snapshot: string;
  /** The secret in the URLs from which the platform fetches the slides. */
  nonce: string | null;
  /** When the platform first fetched a slide; written before the first byte leaves. */
  fetched_at: number | null;
  revoked_at: number | null;
  /** Where the video's bytes go; sealed. */
  upload: string | null;
  /**
   * When the visible act was about to begin: the submit, or the first byte of an upload. Null for an attempt of the class
   * `revoke`, which `fetched_at` tells about.
   */
  sent_at: number | null;
  /** What the submit is repeated or asked about with; sealed. */
  submission_ref: string | null;
  /** Raised by a worker that recovers the attempt. */
  fence: Generated<number>;
  /** Until when a worker owns the attempt. */
  lease_until: number | null;
  /** When a worker should next work on it. Null: never. */
  next_at: number | null;
  /** Number of polls without a final status; before acceptance, how often the attempt was continued. */
  checks: Generated<number>;
}

/** Webhooks that were received; the platform may repeat them. */
export interface PlatformWebhookTable {
  key: string;
  received_at: number;
}

/** A process (see accounts/grant-calls.ts) that is about to exchange a code, or to revoke a grant. */
export interface GrantCallTable {
  id: string;
  platform: string;
  kind: 'exchange' | 'revocation';
  /** If it is still there by then, its process has stopped. */
  valid_until: number;
}

/** The number of attempts of an organization by outcome. */
export interface DispatchCounterTable {
  org_id: string;
  outcome: string;
  n: number;
}

export interface PublishingTables {
  social_accounts: SocialAccountTable;
  platform_blocks: PlatformBlockTable;
  oauth_states: OauthStateTable;
  dispatches: DispatchTable;
  platform_webhooks: PlatformWebhookTable;
  grant_calls: GrantCallTable;
  dispatch_counters: DispatchCounterTable;
}

export type AttemptRow = Selectable<DispatchTable>;
export type SocialAccountRow = Selectable<SocialAccountTable>;
/** The whole key of an account. */
export type AccountRef = Pick<SocialAccountRow, 'org_id' | 'id'>;

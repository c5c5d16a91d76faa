// The rows, as TypeScript sees them. Both engines hold the same: moments are milliseconds since 1970 (bigint),
// booleans are 0 or 1, ids are UUIDs (uuid on Postgres, text on SQLite), so that one query text serves both.
import type { Generated, Selectable } from 'kysely';
import type { EventCounterTable, EventTable, RevisionTable } from './event-tables.js';
import type {
  ApiKeyTable,
  EntryLinkTable,
  InvitationTable,
  OrganizationTable,
  PersonTable,
  SessionTable,
} from './people-tables.js';
import type { EventEpochTable, InstallationTable } from './restore-tables.js';

export type * from './people-tables.js';
export type * from './restore-tables.js';

export type Flag = 0 | 1;

export interface SocialAccountTable {
  org_id: string;
  id: string;
  username: string;
  display_name: string | null;
  status: 'connected' | 'reconnect_required' | 'disconnected';
  /** Who it is on the platform. Null only for accounts that were never really connected. */
  open_id: string | null;
  avatar_url: string | null;
  /** Granted ones, separated by single spaces. */
  scopes: Generated<string>;
  /** Why it must be reconnected, in a sentence. */
  status_reason: string | null;
  /** Sealed, like the refresh token. */
  access_token: string | null;
  access_expires_at: number | null;
  refresh_token: string | null;
  refresh_expires_at: number | null;
  /** When the worker renews the tokens, or finishes a revocation. */
  refresh_at: number | null;
  /** Until then one process has the account's tokens to itself. */
  refreshing_until: number | null;
  /** Rises with every change of the tokens and with every hold on them; whoever saves names the one it began with. */
  token_turn: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** A consent that somebody was sent to give. Used once. */
export interface OauthStateTable {
  /** SHA-256 of the state, in hex. */
  hash: string;
  org_id: string;
  /** Sealed. */
  verifier: string;
  redirect_uri: string;
  /** The session it was begun in, if it was one: nobody else can end it. */
  session_id: string | null;
  created_at: number;
  expires_at: number;
}

/** One attempt to publish: what is shown of it, and what the engine needs to go on with it; see dispatches/. */
export interface DispatchTable {
  org_id: string;
  id: string;
  post_id: string;
  social_account_id: string;
  /** What the wire calls `trigger`, which is a reserved word. */
  trigger_kind: 'api' | 'dashboard' | 'schedule' | 'retry';
  /** The how-manieth of its post. */
  attempt: number;
  mode: 'direct' | 'inbox';
  outcome: 'started' | 'accepted' | 'published' | 'in_inbox' | 'failed' | 'unknown';
  /** What is left to do. */
  phase: 'sending' | 'transferring' | 'observing' | 'done';
  publish_id: string | null;
  /** The platform's own word. */
  social_status: string | null;
  post_url: string | null;
  /** What kept it from being accepted. */
  setback: 'later' | 'refused' | 'reauthorize' | 'unknown' | null;
  error_code: string | null;
  error_message: string | null;
  retry_after_ms: number | null;
  /** The slot it was for. */
  scheduled_for: number | null;
  started_at: number;
  accepted_at: number | null;
  finished_at: number | null;
  /** When the platform last said something about it. */
  checked_at: number | null;
  /** The attempt that took over when this one's process had died. */
  continued_by: string | null;
  /** What is sent, as JSON: text, options and files as they were when the attempt began. */
  snapshot: string;
  /** Of the addresses the platform fetches the slides from. */
  nonce: string | null;
  /** When the platform first fetched one; written before its first byte leaves. */
  fetched_at: number | null;
  revoked_at: number | null;
  /** Where the bytes of the video go; sealed. */
  upload: string | null;
  /** When the first byte was about to leave. */
  sent_at: number | null;
  /** The fencing token: raised by whoever takes the row over. */
  turn: Generated<number>;
  /** Until then somebody is at it. */
  lease_until: number | null;
  /** When somebody should look at it (again). Null: never. */
  next_at: number | null;
  /** How often the platform was asked without a final answer. */
  checks: Generated<number>;
}

/** Webhooks of the platform that were taken; they may come again. */
export interface PlatformHintTable {
  key: string;
  received_at: number;
}

export interface PostTable {
  org_id: string;
  id: string;
  post_type: 'slides' | 'video';
  title: string;
  caption: string | null;
  hashtags: string | null;
  status: 'draft' | 'scheduled' | 'publishing' | 'posted' | 'archived';
  scheduled_at: number | null;
  posted_at: number | null;
  social_account_id: string | null;
  publish_mode: Generated<'direct' | 'inbox'>;
  publish_retries: Generated<number>;
  last_publish_error: string | null;
  privacy_level: 'PUBLIC_TO_EVERYONE' | 'MUTUAL_FOLLOW_FRIENDS' | 'FOLLOWER_OF_CREATOR' | 'SELF_ONLY' | null;
  disable_comment: Generated<Flag>;
  disable_duet: Generated<Flag>;
  disable_stitch: Generated<Flag>;
  brand_content_toggle: Generated<Flag>;
  brand_organic_toggle: Generated<Flag>;
  /** Title and caption folded for search (see posts/list/search.ts). */
  search_text: string;
  /** Of a scheduled post: not before this moment, although its slot may have come. */
  wait_until: number | null;
  created_at: number;
  updated_at: number;
}

/** A file of a post, from the grant to upload it on; see assets/assets.ts. */
export interface AssetTable {
  org_id: string;
  id: string;
  post_id: string;
  kind: 'slide' | 'video';
  /** pending: not uploaded yet; ready: looked at and in its place; rejected: not what it claimed to be. */
  state: 'pending' | 'ready' | 'rejected';
  object_key: string;
  /** As the client called it. */
  filename: string;
  content_type: string;
  announced_length: number | null;
  /** Slides in this order; gaps mean nothing. */
  position: number;
  /** When the upload's address ends. */
  expires_at: number;
  size: number | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  codec: string | null;
  has_thumbnail: Generated<Flag>;
  /** Whether the caller that asked for the upload may change the files of a scheduled post. */
  may_change_scheduled: Generated<Flag>;
  /** How often looking into it has failed. */
  looks: Generated<number>;
  /** Why it was rejected, in a sentence. */
  reason: string | null;
  created_at: number;
  /** When it became ready or was rejected. */
  settled_at: number | null;
}

/** Objects to be removed from the store, with everything that was made of them. */
export interface CondemnedObjectTable {
  object_key: string;
  org_id: string;
  remove_after: number;
}

/** How many posts an organization has of each kind; see posts/counters.ts. */
export interface PostCounterTable {
  org_id: string;
  status: PostTable['status'];
  post_type: PostTable['post_type'];
  /** The nil UUID stands for "no account": a key column cannot be null. */
  account_id: string;
  published: Flag;
  n: number;
}

/** How many publish attempts an organization has by outcome. */
export interface DispatchCounterTable {
  org_id: string;
  outcome: string;
  n: number;
}

export interface IdempotencyRecordTable {
  org_id: string;
  key: string;
  fingerprint: string;
  /** The first answer, sealed: it may hold a secret that is shown once. Null only inside the first transaction. */
  answer: string | null;
  /** Instead of an answer: the attempt it is to be made of. */
  dispatch_id: string | null;
  created_at: number;
}

/** Which worker processes are alive, for `/readyz` of processes without a worker. */
export interface WorkerTable {
  id: string;
  started_at: number;
  beat_at: number;
}

/** One row, sealed with the key this database was made with: another key is noticed at the start. */
export interface KeyCheckTable {
  id: 1;
  sealed: string;
}

export interface SchemaMigrationTable {
  version: number;
  name: string;
  checksum: string;
  applied_at: number;
}

export interface Tables {
  schema_migrations: SchemaMigrationTable;
  key_check: KeyCheckTable;
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  social_accounts: SocialAccountTable;
  posts: PostTable;
  assets: AssetTable;
  oauth_states: OauthStateTable;
  dispatches: DispatchTable;
  platform_hints: PlatformHintTable;
  condemned_objects: CondemnedObjectTable;
  post_counters: PostCounterTable;
  dispatch_counters: DispatchCounterTable;
  idempotency_records: IdempotencyRecordTable;
  people: PersonTable;
  sessions: SessionTable;
  invitations: InvitationTable;
  entry_links: EntryLinkTable;
  workers: WorkerTable;
  events: EventTable;
  event_counters: EventCounterTable;
  revisions: RevisionTable;
  installation: InstallationTable;
  event_epochs: EventEpochTable;
}

/** A post as everybody reads it: without what only the search and the schedule look at. */
export type PostRow = Omit<Selectable<PostTable>, 'search_text' | 'wait_until'>;

export const POST_COLUMNS = [
  'org_id',
  'id',
  'post_type',
  'title',
  'caption',
  'hashtags',
  'status',
  'scheduled_at',
  'posted_at',
  'social_account_id',
  'publish_mode',
  'publish_retries',
  'last_publish_error',
  'privacy_level',
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
  'created_at',
  'updated_at',
] as const satisfies (keyof PostRow)[];

export type AssetRow = Selectable<AssetTable>;
export type DispatchRow = Selectable<DispatchTable>;
export type SocialAccountRow = Selectable<SocialAccountTable>;

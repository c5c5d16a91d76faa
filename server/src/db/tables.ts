// The rows, as TypeScript sees them. Both engines hold the same: moments are milliseconds since 1970 (bigint),
// booleans are 0 or 1, ids are UUIDs (uuid on Postgres, text on SQLite), so that one query text serves both.
import type { Generated, Selectable } from 'kysely';

export type Flag = 0 | 1;

export interface OrganizationTable {
  id: string;
  name: string;
  plan: 'starter' | 'growth' | 'agency' | 'api_only';
  trial_ends_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface ApiKeyTable {
  org_id: string;
  id: string;
  name: string;
  /** SHA-256 of the whole key, in hex. The key itself is shown once and never stored. */
  hash: string;
  /** The first characters, so that people can tell their keys apart. */
  prefix: string;
  /** Separated by single spaces. */
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

export interface SocialAccountTable {
  org_id: string;
  id: string;
  username: string;
  display_name: string | null;
  status: 'connected' | 'reconnect_required' | 'disconnected';
  created_at: number;
  updated_at: number;
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
  /** Title and caption folded for search (see posts/search.ts). */
  search_text: string;
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
  condemned_objects: CondemnedObjectTable;
  post_counters: PostCounterTable;
  dispatch_counters: DispatchCounterTable;
  idempotency_records: IdempotencyRecordTable;
  workers: WorkerTable;
}

/** A post as everybody reads it: without the text that only the search looks at. */
export type PostRow = Omit<Selectable<PostTable>, 'search_text'>;

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

export type OrganizationRow = Selectable<OrganizationTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
export type AssetRow = Selectable<AssetTable>;
export type SocialAccountRow = Selectable<SocialAccountTable>;

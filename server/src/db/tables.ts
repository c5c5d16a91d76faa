// The tables, as TypeScript types. Both engines store the same: times are milliseconds since 1970 (bigint), booleans are 0
// or 1, ids are UUIDs (uuid on Postgres, text on SQLite), so that one query serves both.
import type { Generated, Selectable } from 'kysely';
import type { AuditTable } from './audit-table.js';
import type {
  DailyPostCountTable,
  DispatchCounterTable,
  InboxCounterTable,
  PostCounterTable,
  StoredBytesTable,
} from './counter-tables.js';
import type { EventCounterTable, EventTable, RevisionTable } from './event-tables.js';
import type { GrantCallTable } from './grant-tables.js';
import type { AssetSourceTable, FetchPaceTable } from './import-tables.js';
import type { LabelTable, PostLabelTable, SnippetTable } from './label-tables.js';
import type {
  ApiKeyTable,
  InvitationTable,
  OrganizationTable,
  PersonTable,
  SessionTable,
  SignInLinkTable,
} from './people-tables.js';
import type {
  DispatchTable,
  OauthStateTable,
  PlatformBlockTable,
  PlatformWebhookTable,
  SocialAccountTable,
} from './publishing-tables.js';
import type { EventEpochTable, InstallationTable } from './restore-tables.js';
import type {
  PostSearchFtsTable,
  PostSearchOrganizationTable,
  PostSearchPendingTable,
  PostSearchTable,
} from './search-tables.js';
import type { BookedSlotTable, ReportedRiskTable } from './slot-tables.js';
import type {
  WebhookAttemptTable,
  WebhookDeliveryTable,
  WebhookEndpointTable,
  WebhookPreviousSecretTable,
} from './webhook-tables.js';

export type * from './audit-table.js';
export type * from './counter-tables.js';
export type * from './grant-tables.js';
export type * from './import-tables.js';
export type * from './label-tables.js';
export type * from './people-tables.js';
export type * from './publishing-tables.js';
export type * from './restore-tables.js';
export type * from './search-tables.js';
export type * from './slot-tables.js';
export type * from './webhook-tables.js';

export type Flag = 0 | 1;

export interface PostTable {
  org_id: string;
  id: string;
  post_type: 'slides' | 'video';
  title: string;
  caption: string | null;
  hashtags: string | null;
  status: 'draft' | 'scheduled' | 'publishing' | 'posted' | 'archived';
  scheduled_at: number | null;
  /** The slot that the post lost without being published. */
  last_slot: number | null;
  posted_at: number | null;
  social_account_id: string | null;
  publish_mode: Generated<'direct' | 'inbox'>;
  publish_retries: Generated<number>;
  last_publish_error: string | null;
  /** The outcome of the post's last attempt. Null: none yet. */
  last_outcome: DispatchTable['outcome'] | null;
  privacy_level: 'PUBLIC_TO_EVERYONE' | 'MUTUAL_FOLLOW_FRIENDS' | 'FOLLOWER_OF_CREATOR' | 'SELF_ONLY' | null;
  disable_comment: Generated<Flag>;
  disable_duet: Generated<Flag>;
  disable_stitch: Generated<Flag>;
  brand_content_toggle: Generated<Flag>;
  brand_organic_toggle: Generated<Flag>;
  /** Ids of labels, separated by single spaces. Null: none. See post_labels. */
  labels: string | null;
  /** Of slides: the place of the cover among the uploaded ones, from 0. Null: the first. */
  cover_index: number | null;
  /** Of a video: where the frame of the cover is. Null: the first frame. */
  cover_ms: number | null;
  /** The folded title, which lists are sorted by. */
  title_key: string;
  /** A scheduled post is not published before this, even if its slot has come. */
  wait_until: number | null;
  created_at: number;
  updated_at: number;
  /** Raised by every update of the row, by a trigger if not by the statement. */
  version: Generated<number>;
}

/** A file of a post, from its upload grant on; see assets/assets.ts. */
export interface AssetTable {
  org_id: string;
  id: string;
  post_id: string;
  kind: 'slide' | 'video';
  /** pending: not uploaded yet; ready: inspected and in its place; rejected: not what it claimed to be. */
  state: 'pending' | 'ready' | 'rejected';
  object_key: string;
  /** As the client named it. */
  filename: string;
  content_type: string;
  announced_length: number | null;
  /** Of an upload in parts: the length of each but the last, and what the store itself calls the upload. */
  part_size: number | null;
  store_upload: string | null;
  /** Slides in this order; gaps mean nothing. */
  position: number;
  /** When the upload's URL expires. */
  expires_at: number;
  /** Also of a pending upload whose length was not announced, once the file has arrived: it counts from then on. */
  size: number | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  codec: string | null;
  has_thumbnail: Generated<Flag>;
  /** Whether the caller that asked for the upload may change the files of a scheduled post. */
  may_change_scheduled: Generated<Flag>;
  /** Airdate was asked to fetch it, so it belongs to the post until it is removed or replaced. */
  is_fetched: Generated<Flag>;
  /** How many processes have begun to inspect it and did not end well, or have not ended yet: those may have failed, too. */
  inspection_failures: Generated<number>;
  /** When the latest of them began. */
  inspection_began_at: number | null;
  /** Why it was rejected, as a sentence. */
  reason: string | null;
  created_at: number;
  /** When it became ready or was rejected. */
  settled_at: number | null;
}

/** Objects that are marked for deletion, with everything derived from them. */
export interface ObjectToDeleteTable {
  object_key: string;
  org_id: string;
  remove_after: number;
  /** Of a replaced video, which counts until it is removed; null: no longer counted. */
  size: number | null;
}

export interface IdempotencyRecordTable {
  org_id: string;
  key: string;
  fingerprint: string;
  /** The first response, sealed: it may hold a secret that is shown once. Null only inside the first transaction. */
  response: string | null;
  /** Instead of a response: the attempt that the response is built from. */
  dispatch_id: string | null;
  created_at: number;
}

/** Which worker processes are alive, for `/readyz` of processes without a worker. */
export interface WorkerTable {
  id: string;
  started_at: number;
  heartbeat_at: number;
}

/** One row, sealed with the key this database was created with: another key is detected at the start. */
export interface KeyCheckTable {
  id: 1;
  sealed: string;
}

export interface SchemaMigrationTable {
  version: number;
  name: string;
  checksum: string;
  applied_at: number;
  /** The oldest program that works on this schema, by the number of its newest migration. */
  works_from: number;
}

export interface Tables {
  schema_migrations: SchemaMigrationTable;
  key_check: KeyCheckTable;
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  social_accounts: SocialAccountTable;
  posts: PostTable;
  assets: AssetTable;
  asset_sources: AssetSourceTable;
  fetch_paces: FetchPaceTable;
  grant_calls: GrantCallTable;
  oauth_states: OauthStateTable;
  dispatches: DispatchTable;
  platform_webhooks: PlatformWebhookTable;
  platform_blocks: PlatformBlockTable;
  objects_to_delete: ObjectToDeleteTable;
  post_counters: PostCounterTable;
  inbox_counters: InboxCounterTable;
  dispatch_counters: DispatchCounterTable;
  stored_bytes: StoredBytesTable;
  daily_post_counts: DailyPostCountTable;
  idempotency_records: IdempotencyRecordTable;
  people: PersonTable;
  sessions: SessionTable;
  invitations: InvitationTable;
  sign_in_links: SignInLinkTable;
  workers: WorkerTable;
  events: EventTable;
  event_counters: EventCounterTable;
  revisions: RevisionTable;
  installation: InstallationTable;
  event_epochs: EventEpochTable;
  post_search: PostSearchTable;
  post_search_organizations: PostSearchOrganizationTable;
  post_search_pending: PostSearchPendingTable;
  post_search_fts: PostSearchFtsTable;
  audit: AuditTable;
  booked_slots: BookedSlotTable;
  reported_risks: ReportedRiskTable;
  labels: LabelTable;
  post_labels: PostLabelTable;
  snippets: SnippetTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_previous_secrets: WebhookPreviousSecretTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptTable;
}

/** A post without the columns that only the order of lists and the schedule use. */
export type PostRow = Omit<Selectable<PostTable>, 'title_key' | 'wait_until'>;

export const POST_COLUMNS = [
  'org_id',
  'id',
  'post_type',
  'title',
  'caption',
  'hashtags',
  'status',
  'scheduled_at',
  'last_slot',
  'posted_at',
  'social_account_id',
  'publish_mode',
  'publish_retries',
  'last_publish_error',
  'last_outcome',
  'privacy_level',
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
  'labels',
  'cover_index',
  'cover_ms',
  'created_at',
  'updated_at',
  'version',
] as const satisfies (keyof PostRow)[];

export type AssetRow = Selectable<AssetTable>;
export type DispatchRow = Selectable<DispatchTable>;
export type SocialAccountRow = Selectable<SocialAccountTable>;

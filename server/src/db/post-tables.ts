// Posts and their files, with what is derived from them: counters, searched text, booked slots, labels.
import type { Generated, Selectable } from 'kysely';
import { NIL_UUID } from '../core/ids.js';
import type { DispatchTable } from './publishing-tables.js';

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
  /** The code at the end of the error, for programs. */
  last_publish_error_code: string | null;
  /** What the post waits for, if its error says that it does. */
  wait_reason: 'account' | 'block' | 'file' | null;
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
  /** Slides: the position of the cover among the uploaded ones, from 0. Null: the first. */
  cover_index: number | null;
  /** Video: where the frame of the cover is. Null: the first frame. */
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
  'last_publish_error_code',
  'wait_reason',
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

/** A file of a post, from its upload grant on; see assets/assets.ts. */
export interface AssetTable {
  org_id: string;
  id: string;
  post_id: string;
  kind: 'slide' | 'video';
  /** pending: not uploaded yet; ready: inspected and moved to its key; rejected: not what it claimed to be. */
  state: 'pending' | 'ready' | 'rejected';
  object_key: string;
  /** The name that the client gave it. */
  filename: string;
  content_type: string;
  announced_length: number | null;
  /** Upload in parts: the length of each part but the last, and what the store itself calls the upload. */
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
  /** The size of a replaced video, which counts until it is removed; null: no longer counted. */
  size: number | null;
}

/** Where a pending asset is fetched from, until it is ready or rejected. Deleted with the asset. */
export interface AssetSourceTable {
  org_id: string;
  asset_id: string;
  /** Sealed: such an address often carries a signature. */
  url: string;
  /** How many tries have begun, but for those that were handed over. */
  tries: number;
  /** The fence of the worker that owns it (work/lease.ts). */
  fence: Generated<number>;
  /** When a worker begins the next try. During one, the end of its lease. */
  fetch_at: number;
  /** The slot of its post; far in the future if it has none. Kept by triggers. */
  needed_at: Generated<number>;
}

/** How long it takes to fetch a file of an organization, averaged over its recent ones. */
export interface FetchPaceTable {
  org_id: string;
  file_ms: number;
}

/** Stands for "no account" in the keys of counters: a key column cannot be null. */
export const NO_ACCOUNT = NIL_UUID;

/** How many posts of each status and type an organization has; see posts/counters.ts. */
export interface PostCounterTable {
  org_id: string;
  status: PostTable['status'];
  post_type: PostTable['post_type'];
  /** Or NO_ACCOUNT. */
  account_id: string;
  published: 0 | 1;
  n: number;
}

/** The number of posts of each kind whose last outcome is `in_inbox`. Triggers keep it. */
export type InboxCounterTable = Omit<PostCounterTable, 'published'>;

/** How many posts an organization has created on the day of its last post, counted while it has a quota for that. */
export interface DailyPostCountTable {
  org_id: string;
  /** Days since 1970, in UTC. */
  day: number;
  n: number;
}

/** The searched text of a post, folded and cut. Deleted with the post. */
export interface PostSearchTable {
  /** SQLite only, for its index. Posts that are written later have higher numbers; none is used again. */
  n: Generated<number>;
  org_id: string;
  post_id: string;
  /** The post's own. */
  created_at: number;
  content: string;
}

/** SQLite only: what the index does not know yet of a text, or still knows of one that was changed or deleted. */
export interface PostSearchPendingTable {
  n: number;
  org_id: string;
  /** The text that the index knows; null if none. */
  indexed: string | null;
}

/** SQLite only: the number of an organization in the index. */
export interface PostSearchOrganizationTable {
  number: Generated<number>;
  org_id: string;
}

/** SQLite only: which posts have a trigram. The rowid is made of the organization's number and the post's `n`. */
export interface PostSearchFtsTable {
  rowid: number;
  /** Compared with `match`. */
  post_search_fts: string;
}

/**
 * One row for each scheduled post, kept by triggers. Columns of the post itself would raise its version, and with it its
 * ETag, whenever a worker checks it.
 */
export interface BookedSlotTable {
  org_id: string;
  post_id: string;
  scheduled_at: number;
  /** Whether the post has at least one ready file. */
  has_media: 0 | 1;
  /** When a worker next checks whether the post is ready. Null: not before its slot. */
  check_at: number | null;
}

/** A reason why a post may not go out at its slot, once it was reported; see publishing/schedule/at-risk.ts. */
export interface ReportedRiskTable {
  org_id: string;
  post_id: string;
  slot: number;
  code: string;
}

export interface LabelTable {
  org_id: string;
  id: string;
  name: string;
  /** The name folded, which is unique within the organization. */
  name_key: string;
  colour: string;
  created_at: number;
}

/** Which posts have a label, newest post first by its index. The post's own column `labels` says the same. */
export interface PostLabelTable {
  org_id: string;
  post_id: string;
  label_id: string;
  /** The post's own. */
  created_at: number;
}

/** A saved text for one field of posts. */
export interface SnippetTable {
  org_id: string;
  id: string;
  kind: 'caption' | 'hashtags';
  name: string;
  /** The name folded, which is unique within the kind. */
  name_key: string;
  /** Called `text` on the wire, which is the name of a type in SQL. */
  content: string;
  created_at: number;
  updated_at: number;
}

export interface PostTables {
  posts: PostTable;
  assets: AssetTable;
  asset_sources: AssetSourceTable;
  fetch_paces: FetchPaceTable;
  objects_to_delete: ObjectToDeleteTable;
  post_counters: PostCounterTable;
  inbox_counters: InboxCounterTable;
  daily_post_counts: DailyPostCountTable;
  post_search: PostSearchTable;
  post_search_organizations: PostSearchOrganizationTable;
  post_search_pending: PostSearchPendingTable;
  post_search_fts: PostSearchFtsTable;
  booked_slots: BookedSlotTable;
  reported_risks: ReportedRiskTable;
  labels: LabelTable;
  post_labels: PostLabelTable;
  snippets: SnippetTable;
}

export type AssetRow = Selectable<AssetTable>;
export type AssetSourceRow = Selectable<AssetSourceTable>;
export type LabelRow = Selectable<LabelTable>;
export type SnippetRow = Selectable<SnippetTable>;

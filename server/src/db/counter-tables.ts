// What is counted as it changes, so that no request has to count rows.

type Status = 'draft' | 'scheduled' | 'publishing' | 'posted' | 'archived';
type PostType = 'slides' | 'video';

/** Bytes of an organization in its files and in recorded responses. Triggers keep it. */
export interface StoredBytesTable {
  org_id: string;
  kind: 'files' | 'responses';
  n: number;
}

/** How many posts an organization has created on the day of its last post, counted while it has a quota for that. */
export interface DailyPostCountTable {
  org_id: string;
  /** Days since 1970, in UTC. */
  day: number;
  n: number;
}

/** The number of posts of each kind in an organization; see posts/counters.ts. */
export interface PostCounterTable {
  org_id: string;
  status: Status;
  post_type: PostType;
  /** The nil UUID stands for "no account": a key column cannot be null. */
  account_id: string;
  published: 0 | 1;
  n: number;
}

/** The number of posts of each kind whose last outcome is `in_inbox`. Triggers keep it. */
export interface InboxCounterTable {
  org_id: string;
  status: Status;
  post_type: PostType;
  /** As in post_counters. */
  account_id: string;
  n: number;
}

/** The number of attempts of an organization by outcome. */
export interface DispatchCounterTable {
  org_id: string;
  outcome: string;
  n: number;
}

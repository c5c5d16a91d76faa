// What happened, for whoever wants to be told; see events/. And how often what is old was changed.

export interface EventTable {
  org_id: string;
  /** Counted by organization, without gaps, in the order of the commits. */
  seq: number;
  type:
    | 'post.scheduled'
    | 'post.published'
    | 'post.publish_failed'
    | 'post.outcome_unknown'
    | 'account.disconnected';
  /** JSON, as it leaves. */
  data: string;
  created_at: number;
}

/** The last number given. Its lock makes the order of the numbers that of the commits. */
export interface EventCounterTable {
  org_id: string;
  last: number;
}

/** Rises when something old is changed; see analytics/revision.ts. */
export interface RevisionTable {
  org_id: string;
  n: number;
}

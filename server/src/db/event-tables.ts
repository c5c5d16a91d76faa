// Events for clients (see events/), and a counter of changes to old days.

export interface EventTable {
  org_id: string;
  /** Counted by organization, without gaps, in the order of the commits. */
  seq: number;
  type:
    | 'post.created'
    | 'post.scheduled'
    | 'post.at_risk'
    | 'post.published'
    | 'post.public'
    | 'post.publish_failed'
    | 'post.outcome_unknown'
    | 'post.deleted'
    | 'account.connected'
    | 'account.disconnected'
    | 'webhook.disabled';
  /** JSON, as it is sent. */
  data: string;
  created_at: number;
}

/** The last number given. Locking it makes the order of the numbers that of the commits. */
export interface EventCounterTable {
  org_id: string;
  last: number;
}

/** Rises when a past day changes; see analytics/revision.ts. */
export interface RevisionTable {
  org_id: string;
  n: number;
}

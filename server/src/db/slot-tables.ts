// Derived data about booked slots; see migrations/first-schema/slots.ts.

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

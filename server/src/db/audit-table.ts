// The audit log; see audit/.
import type { Generated, Selectable } from 'kysely';

export interface AuditTable {
  /** Holds the time, so that the order of ids is the order of the log. */
  id: string;
  /** Null: a row of the installation, shown to every organization. */
  org_id: string | null;
  /** The time in the id, for people who read the table. */
  at: number;
  actor_kind: 'person' | 'key' | 'operator' | 'platform' | 'system';
  actor_id: string | null;
  /** At the time of the act, like the target's: the row outlives both. */
  actor_name: string;
  /** Of the client; null for acts that no request made. */
  address: string | null;
  action: string;
  target_kind: string;
  target_id: string | null;
  target_name: string | null;
  /** JSON, as it is sent; null if there are none. */
  details: string | null;
  /** Only of failed sign-ins: the minute in which they are counted. */
  minute: number | null;
  /** How many of them there were. */
  n: Generated<number>;
}

export type AuditRow = Selectable<AuditTable>;

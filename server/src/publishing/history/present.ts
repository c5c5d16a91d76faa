// The only place where a row becomes a dispatch on the wire.

import { toTimestamp } from '../../core/clock.js';
import type { AttemptRow } from '../../db/tables.js';
import type { Platform } from '../../request/platforms.js';
import type { Dispatch } from './schema.js';

const moment = (ms: number | null) => (ms === null ? null : toTimestamp(ms));

export const presentDispatch = (row: AttemptRow): Dispatch => ({
  id: row.id,
  post_id: row.post_id,
  social_account_id: row.social_account_id,
  platform: row.platform as Platform,
  trigger: row.trigger_kind,
  attempt: row.attempt,
  mode: row.mode,
  outcome: row.outcome,
  publish_id: row.publish_id,
  post_url: row.post_url,
  platform_post_id: row.platform_post_id,
  social_status: row.social_status,
  error_code: row.error_code,
  error_message: row.error_message,
  scheduled_for: moment(row.scheduled_for),
  started_at: toTimestamp(row.started_at),
  accepted_at: moment(row.accepted_at),
  finished_at: moment(row.finished_at),
});

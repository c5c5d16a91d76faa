// A webhook as it goes out over the wire, without its secrets.
import { toTimestamp } from '../../core/clock.js';
import type { WebhookEndpointRow } from '../../db/tables.js';
import type { Webhook } from './schema.js';

const time = (ms: number | null) => (ms === null ? null : toTimestamp(ms));

export const presentWebhook = (row: WebhookEndpointRow, now: number): Webhook => ({
  id: row.id,
  url: row.url,
  description: row.description,
  types: row.types === null ? null : JSON.parse(row.types),
  enabled: row.enabled === 1,
  disabled_reason:
    row.disabled_at !== null && row.key_ended_at === row.disabled_at ? 'key_ended' : row.disabled_reason,
  disabled_at: time(row.disabled_at),
  failing_since: time(row.failing_since),
  previous_secret_until:
    row.previous_until !== null && row.previous_until > now ? time(row.previous_until) : null,
  created_at: toTimestamp(row.created_at),
  updated_at: toTimestamp(row.updated_at),
});

// Events for clients (see events/), and webhooks, which send them.
import type { Selectable } from 'kysely';

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

/** Where the events of an organization entered a new epoch: those after this number belong to it. */
export interface EventEpochTable {
  org_id: string;
  epoch: number;
  after_seq: number;
}

export interface WebhookEndpointTable {
  org_id: string;
  id: string;
  url: string;
  description: string | null;
  /** JSON; null: all types. */
  types: string | null;
  /** Sealed. */
  secret: string;
  /** Sealed; signs too until then. */
  previous_secret: string | null;
  previous_until: number | null;
  enabled: 0 | 1;
  /** Null while it is enabled, and if a caller disabled it. */
  disabled_reason: 'gone' | 'failing' | null;
  disabled_at: number | null;
  /** The last event for which deliveries were made. */
  cursor_seq: number;
  /** The first failure since the last success. */
  failing_since: number | null;
  /** How many since then. */
  failures: number;
  created_at: number;
  updated_at: number;
  /** The key that made it, or last set its URL or enabled it. It is disabled when that key ends. */
  made_with: string | null;
  /** Equal to `disabled_at` if the end of its key disabled it. */
  key_ended_at: number | null;
}
export type WebhookEndpointRow = Selectable<WebhookEndpointTable>;

/** Secrets that were replaced before `previous_secret`. A trigger writes them. */
export interface WebhookPreviousSecretTable {
  org_id: string;
  endpoint_id: string;
  n: number;
  /** Sealed for the same context as those of the endpoint. */
  secret: string;
  /** Until when it signs too. */
  valid_until: number;
}

/** One event to one endpoint. */
export interface WebhookDeliveryTable {
  org_id: string;
  id: string;
  endpoint_id: string;
  /** The header `webhook-id`. It is derived from what the body says, so no other body can have it. */
  message_id: string;
  event_id: string;
  event_seq: number;
  type: string;
  /** What the event is about. Deliveries about the same post are sent one after another. */
  subject: string;
  /** The body as it is sent. */
  body: string;
  state: 'pending' | 'delivered' | 'failed';
  /** How many attempts were made, including those before a replay. */
  attempts: number;
  /** How many attempts were made since it was queued. Sets the delay before the next. */
  tries: number;
  /** Null if it is not pending, or waits for an earlier one of its subject. */
  next_at: number | null;
  lease_until: number | null;
  /** Raised by every lease: a former owner changes nothing. */
  fence: number;
  created_at: number;
  settled_at: number | null;
}
export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;

export interface WebhookAttemptTable {
  org_id: string;
  delivery_id: string;
  n: number;
  at: number;
  ms: number;
  /** Null if no response came. */
  status: number | null;
  error: string | null;
  /** How the body of the response begins. */
  response: string | null;
}
export type WebhookAttemptRow = Selectable<WebhookAttemptTable>;

export interface EventTables {
  events: EventTable;
  event_counters: EventCounterTable;
  event_epochs: EventEpochTable;
  revisions: RevisionTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_previous_secrets: WebhookPreviousSecretTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptTable;
}

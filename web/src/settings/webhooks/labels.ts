// What the screen says about events, webhooks and deliveries.
import type { Status } from '../../text/status.js';
import type { Attempt, Delivery, EventType, Webhook } from './queries.js';

export const EVENTS: Record<EventType, string> = {
  'post.created': 'Post created',
  'post.scheduled': 'Post scheduled',
  'post.at_risk': 'Scheduled post at risk',
  'post.published': 'Post published',
  'post.public': 'Public address known',
  'post.publish_failed': 'Publishing failed',
  'post.outcome_unknown': 'Outcome unknown',
  'post.deleted': 'Post deleted',
  'account.connected': 'Account connected',
  'account.disconnected': 'Account disconnected',
  'webhook.disabled': 'Webhook disabled by Airdate',
};

/** The log may hold events of another version. */
export const eventName = (type: string): string => (EVENTS as Record<string, string>)[type] ?? type;

export const eventsText = (types: Webhook['types']): string =>
  types === null ? 'All events' : types.map(eventName).join(', ');

type Standing = Pick<Webhook, 'enabled' | 'disabled_reason' | 'failing_since'>;

export function statusOfWebhook({ enabled, disabled_reason, failing_since }: Standing): Status {
  if (!enabled) return { tone: disabled_reason ? 'attention' : 'draft', label: 'Disabled' };
  return failing_since ? { tone: 'attention', label: 'Failing' } : { tone: 'posted', label: 'Enabled' };
}

/** Why nothing is sent; absent while it is enabled. */
export function whyDisabled({ enabled, disabled_reason }: Standing): string | null {
  if (enabled) return null;
  if (disabled_reason === 'gone')
    return 'Airdate disabled it because the endpoint answered 410 Gone, which says that it wants no more events.';
  if (disabled_reason === 'failing') return 'Airdate disabled it because every attempt failed for five days.';
  if (disabled_reason === 'key_ended')
    return 'Check its URL before you enable it: Airdate disabled it because the API key it was set up with was revoked or has expired.';
  return 'It was disabled by a person or an app of your organization.';
}

export const STATES: Record<Delivery['state'], Status> = {
  pending: { tone: 'publishing', label: 'Waiting' },
  delivered: { tone: 'posted', label: 'Delivered' },
  failed: { tone: 'attention', label: 'Failed' },
};

/** "HTTP 500 after 12 ms", or why there was no response. */
export const attemptResultText = ({ status, error, ms }: Pick<Attempt, 'status' | 'error' | 'ms'>): string =>
  status === null
    ? `No response after ${ms} ms: ${error ?? 'unknown reason'}`
    : `HTTP ${status} after ${ms} ms`;

/** Formatted for people; what is not JSON stays as it is. */
export function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

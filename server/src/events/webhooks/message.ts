// What is sent about an event. It is derived from the event alone, so that it is the same for all endpoints, and again after a
// restored backup.
import { hash } from 'node:crypto';
import { type EventRow, presentEvent } from '../events.js';
import type { EventData } from '../schema.js';

export interface Message {
  /** A hash of everything that the body says: no other body has it, whatever a restored database counts anew. */
  id: string;
  event_id: string;
  type: string;
  /** What happens to the same post or account is told in order. */
  subject: string;
  body: string;
}

export function messageOf(row: EventRow): Message {
  const { id: event_id, type, created_at: timestamp, data } = presentEvent(row);
  const says = { type, timestamp, data, event_id };
  const digest = hash('sha256', JSON.stringify([row.org_id, row.created_at, says]), 'hex');
  const id = `msg_${digest.slice(0, 32)}`;
  return { id, event_id, type, subject: subjectOf(data), body: JSON.stringify({ id, ...says }) };
}

const subjectOf = ({ post_id, social_account_id, webhook_id }: EventData): string =>
  post_id ?? social_account_id ?? webhook_id ?? '';

// Events as they are asked for: after one that is known, oldest first.
import type { Selectable } from 'kysely';
import type { App } from '../app.js';
import { toTimestamp } from '../clock.js';
import type { EventTable } from '../db/event-tables.js';
import type { Caller } from '../http/caller.js';
import { invalid } from '../problems.js';
import { EVENT_ID, type Event, type EventData, type ListEvents, MOST_EVENTS } from './schema.js';

export type EventRow = Selectable<EventTable>;

export async function listEvents(
  app: App,
  { orgId }: Caller,
  { after, limit = MOST_EVENTS }: ListEvents,
): Promise<Event[]> {
  const rows = await app.reads.eventsAfter(orgId, after === undefined ? 0 : numberOf(after), limit);
  return rows.map(presentEvent);
}

/** The number of the newest event; 0 if there was none yet. */
export async function newestNumber(app: App, orgId: string): Promise<number> {
  const [counter] = await app.reads.eventCounter(orgId);
  return counter?.last ?? 0;
}

export const presentEvent = (row: EventRow): Event => ({
  id: idOf(row.seq),
  type: row.type,
  created_at: toTimestamp(row.created_at),
  data: JSON.parse(row.data) as EventData,
});

const DIGITS = 9;

/** Fixed in length, so that ids sort. What it counts is nobody's business, and its form may change: it is only handed back. */
export const idOf = (seq: number): string => `evt_${seq.toString(36).padStart(DIGITS, '0')}`;

export const numberOf = (id: string): number => Number.parseInt(id.slice(4), 36);

/** Of the header by which a broken stream is taken up again. */
export function lastEventId(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && new RegExp(EVENT_ID).test(header)) return header;
  throw invalid([{ pointer: '/Last-Event-ID', message: 'must be the id of an event' }]);
}

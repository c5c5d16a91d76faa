// Lists events after a cursor, oldest first.
import type { Selectable } from 'kysely';
import type { App } from '../api/app.js';
import type { Caller } from '../api/caller.js';
import { DEFAULT_PLATFORM } from '../api/platforms.js';
import type { EventTable } from '../db/event-tables.js';
import { toTimestamp } from '../ground/clock.js';
import { invalid } from '../ground/problems.js';
import { positionOf } from './epochs.js';
import { EVENT_ID, idOf } from './ids.js';
import { type Event, type EventData, type ListEvents, MOST_EVENTS } from './schema.js';

export type EventRow = Selectable<EventTable> & { epoch: number };

export async function listEvents(
  app: App,
  { orgId }: Caller,
  { after, limit = MOST_EVENTS }: ListEvents,
): Promise<Event[]> {
  const { seq } = after === undefined ? { seq: 0 } : await positionOf(app, orgId, after);
  const rows = await app.reads.eventsAfter(orgId, seq, limit);
  return rows.map(presentEvent);
}

export const presentEvent = (row: EventRow): Event => ({
  id: idOf(row),
  type: row.type,
  created_at: toTimestamp(row.created_at),
  data: withPlatform(JSON.parse(row.data) as EventData),
});

/** Events from before there were several platforms name none. */
const withPlatform = (data: EventData): EventData =>
  data.social_account_id === undefined || data.platform !== undefined
    ? data
    : { ...data, platform: DEFAULT_PLATFORM };

/** Reads the header with which a client resumes a stream. */
export function lastEventId(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && new RegExp(EVENT_ID).test(header)) return header;
  throw invalid([{ pointer: '/Last-Event-ID', message: 'must be the id of an event' }]);
}

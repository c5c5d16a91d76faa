// Lists events after a cursor, oldest first.

import { type Selectable, sql } from 'kysely';
import type { App } from '../app/app.js';
import { toTimestamp } from '../core/clock.js';
import { invalid } from '../core/problems.js';
import { prepareRead } from '../db/prepared-statements.js';
import type { EventTable } from '../db/tables.js';
import type { Caller } from '../request/caller.js';
import { DEFAULT_PLATFORM } from '../request/platforms.js';
import { findPosition, newestPosition } from './epochs.js';
import { EVENT_ID, idOf } from './ids.js';
import { type Event, type EventData, type EventPage, type ListEvents, MAX_EVENTS } from './schema.js';

export type EventRow = Selectable<EventTable> & { epoch: number };

export async function listEvents(
  app: App,
  { orgId }: Caller,
  { after, limit = MAX_EVENTS }: ListEvents,
): Promise<EventPage> {
  const { seq } = after === undefined ? { seq: 0 } : await findPosition(app, orgId, after);
  // Read before the events: one that is recorded in between is then no gap.
  const newest = await newestPosition(app, orgId);
  const rows = await findEventsAfter(app.db.read, orgId, seq, limit + 1);
  const page = rows.slice(0, limit);
  return {
    data: page.map(presentEvent),
    has_more: rows.length > limit,
    gap: after !== undefined && hasGap(seq, page, rows.length > limit ? null : newest.seq),
  };
}

export const findEventsAfter = prepareRead((read, orgId: string, seq: number, limit: number) =>
  read
    .selectFrom('events')
    .selectAll()
    .select((eb) =>
      // The epoch of each event; see epochs.ts.
      eb.fn
        .coalesce(
          eb
            .selectFrom('event_epochs')
            .select((inner) => inner.fn.max('event_epochs.epoch').as('epoch'))
            .whereRef('event_epochs.org_id', '=', 'events.org_id')
            .whereRef('event_epochs.after_seq', '<', 'events.seq'),
          sql.lit(0),
        )
        .as('epoch'),
    )
    .where('org_id', '=', orgId)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit),
);

/** Whether events right after this position were pruned. The answer does not say which, only that a reader has missed some. */
export async function isGapAfter(app: App, orgId: string, seq: number): Promise<boolean> {
  const newest = await newestPosition(app, orgId);
  return hasGap(seq, await findEventsAfter(app.db.read, orgId, seq, 1), newest.seq);
}

/** Numbers have no gaps, so a missing one was pruned. `newest`: the number by which the events must end; null if more follow. */
function hasGap(after: number, rows: readonly Pick<EventRow, 'seq'>[], newest: number | null): boolean {
  let last = after;
  for (const { seq } of rows) {
    if (seq !== last + 1) return true;
    last = seq;
  }
  return rows.length === 0 && newest !== null && newest > after;
}

/** The type and the data were written together, by `recordEvent`. */
export const presentEvent = (row: EventRow): Event =>
  ({
    id: idOf(row),
    type: row.type,
    created_at: toTimestamp(row.created_at),
    data: withPlatform(JSON.parse(row.data) as EventData),
  }) as Event;

/** Events from before there were several platforms name none. */
const withPlatform = (data: EventData): EventData =>
  !('social_account_id' in data) || data.platform !== undefined
    ? data
    : { ...data, platform: DEFAULT_PLATFORM };

/** Reads the header with which a client resumes a stream. */
export function lastEventId(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && new RegExp(EVENT_ID).test(header)) return header;
  throw invalid([{ pointer: '/Last-Event-ID', message: 'must be the id of an event' }]);
}

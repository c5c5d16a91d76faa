// Reads the audit log of an organization, newest first, together with the rows of the installation.

import type { App } from '../app/app.js';
import { parseTimestamp, toTimestamp } from '../core/clock.js';
import { firstIdAt } from '../core/ids.js';
import { invalid } from '../core/problems.js';
import type { Reader } from '../db/database.js';
import { type LogBound, type LogFilter, newestScans } from '../db/newest-scans.js';
import type { AuditRow } from '../db/tables.js';
import type { Caller } from '../request/caller.js';
import { countReachable, FAR_OFFSET, type Page, pageWindow, paginate } from '../request/pagination.js';
import { ACTION_NAMES, ACTIONS, type AuditAction } from './actions.js';
import type { AuditDetails, AuditEntry, ListAudit } from './schema.js';

/** How far one can page; `from` and `to` reach further back. More would stop a process that reads from SQLite for too long. */
export const MAX_LISTED_ENTRIES = 10_000;

interface Wanted {
  orgId: string;
  /** Of the ids. */
  bounds: LogBound[];
  filters: LogFilter<'target_id' | 'actor_id' | 'action' | 'actor_kind'>[];
}

export async function listAudit(app: App, { orgId }: Caller, input: ListAudit): Promise<Page<AuditEntry>> {
  const wanted = wantedOf(orgId, input);
  if (wanted === null) return paginate([], input, 0);
  // Several filters, several actions or far pages walk many rows.
  const isLong = wanted.filters.flatMap(({ values }) => values).length > 1;
  if (!isLong && pageWindow(input).offset <= FAR_OFFSET) return find(app.db.read, wanted, input);
  return app.queues.longReads(orgId, () => find(app.db.readLong, wanted, input));
}

async function find(read: Reader, wanted: Wanted, input: ListAudit): Promise<Page<AuditEntry>> {
  const { limit, offset } = pageWindow(input);
  const all = foundIn(read, wanted, MAX_LISTED_ENTRIES);
  const total = await countReachable(read, all, MAX_LISTED_ENTRIES);
  // Beyond the end there is nothing to look for.
  if (offset >= total) return paginate([], input, total);
  const rows = await read
    .selectFrom('audit')
    .selectAll()
    .where(
      'id',
      'in',
      foundIn(read, wanted, Math.min(offset + limit, MAX_LISTED_ENTRIES))
        .orderBy('id', 'desc')
        .limit(Math.min(limit, MAX_LISTED_ENTRIES - offset))
        .offset(offset),
    )
    .orderBy('id', 'desc')
    .execute();
  return paginate(rows.map(presentEntry), input, total);
}

/** Null: the filters exclude each other. */
function wantedOf(orgId: string, input: ListAudit): Wanted | null {
  const filters: Wanted['filters'] = [];
  const add = (column: Wanted['filters'][number]['column'], value: string | undefined) =>
    value !== undefined && filters.push({ column, values: [value] });
  add('target_id', input.target_id?.toLowerCase());
  add('actor_id', input.actor_id?.toLowerCase());
  const actions = wantedActions(input);
  if (actions?.length === 0) return null;
  if (actions) filters.push({ column: 'action', values: actions });
  add('actor_kind', input.actor_kind);
  const from = firstIdAt(input.from === undefined ? 0 : timeOf(input.from));
  // Inclusive: ids of the given millisecond are wanted.
  const before = firstIdAt(input.to === undefined ? LAST_MS : timeOf(input.to) + 1);
  const bounds: LogBound[] = [
    ['>=', from],
    ['<', before],
  ];
  return { orgId, bounds, filters };
}

/** The largest time that an id can hold. */
const LAST_MS = 2 ** 48 - 1;

/** The schema has checked the format. */
const timeOf = (text: string): number => parseTimestamp(text) ?? 0;

/** A kind of target is the actions on it. Undefined: all actions. */
function wantedActions({ action, target_kind }: ListAudit): AuditAction[] | undefined {
  if (action === undefined && target_kind === undefined) return undefined;
  const named = action?.split(',') ?? ACTION_NAMES;
  const unknown = named.find((name) => !Object.hasOwn(ACTIONS, name));
  if (unknown !== undefined) throw invalid([{ pointer: '/action', message: `names no action: ${unknown}` }]);
  return ACTION_NAMES.filter(
    (name) => named.includes(name) && (target_kind === undefined || ACTIONS[name][0] === target_kind),
  );
}

/** The ids of the wanted rows, among the `limit` newest of each scan. */
const foundIn = (read: Reader, { orgId, bounds, filters }: Wanted, limit: number) =>
  newestScans(
    read,
    {
      table: 'audit',
      key: ['id'],
      orgIds: [orgId, null],
      bounds,
      filters,
      maxChecked: MAX_LISTED_ENTRIES,
    },
    limit,
  );

const presentEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: toTimestamp(row.at),
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  // Addresses of the installation's rows, and the operator's own, are not the organizations' business.
  address: row.actor_kind === 'operator' || row.org_id === null ? null : row.address,
  action: row.action as AuditAction,
  target: { kind: row.target_kind as AuditEntry['target']['kind'], id: row.target_id, name: row.target_name },
  details: {
    ...(row.details === null ? {} : (JSON.parse(row.details) as AuditDetails)),
    ...(row.minute === null ? {} : { count: row.n }),
  },
});

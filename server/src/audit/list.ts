// Reads the audit log of an organization, newest first, together with the rows of the installation.
//
// One filter leads: its index gives the ids in order, without a look at the rows. If there are other filters, they are checked
// on the newest rows of the leading one only, up to a limit, which `from` and `to` move back in time.

import { parseTimestamp, toTimestamp } from '../core/clock.js';
import { firstIdAt } from '../core/ids.js';
import { invalid } from '../core/problems.js';
import type { Reader } from '../db/database.js';
import type { AuditRow } from '../db/tables.js';
import type { App } from '../request/app.js';
import type { Caller } from '../request/caller.js';
import { FAR_OFFSET, type Page, pageWindow, paginate } from '../request/pagination.js';
import { ACTION_NAMES, ACTIONS, type AuditAction } from './actions.js';
import type { AuditDetails, AuditEntry, ListAudit } from './schema.js';

/** How far one can page; `from` and `to` reach further back. More would stop a process that reads from SQLite for too long. */
export const MAX_LISTED_ENTRIES = 10_000;

type Column = 'target_id' | 'actor_id' | 'action' | 'actor_kind';

interface Filter {
  column: Column;
  values: string[];
}

interface Wanted {
  orgId: string;
  /** Ids lie between these. */
  from: string;
  before: string;
  lead: Filter | null;
  others: Filter[];
}

export async function listAudit(app: App, { orgId }: Caller, input: ListAudit): Promise<Page<AuditEntry>> {
  const wanted = wantedOf(orgId, input);
  if (wanted === null) return paginate([], input, 0);
  // Several filters, several actions or far pages walk many rows.
  const isLong = wanted.others.length > 0 || (wanted.lead?.values.length ?? 0) > 1;
  if (!isLong && pageWindow(input).offset <= FAR_OFFSET) return find(app.db.read, wanted, input);
  return app.queues.longReads(orgId, () => find(app.db.readLong, wanted, input));
}

async function find(read: Reader, wanted: Wanted, input: ListAudit): Promise<Page<AuditEntry>> {
  const { limit, offset } = pageWindow(input);
  const { n } = await read
    .selectFrom(foundIn(read, wanted, MAX_LISTED_ENTRIES).limit(MAX_LISTED_ENTRIES).as('reachable'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  const total = Number(n);
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
  const filters: Filter[] = [];
  const add = (column: Column, value: string | undefined) =>
    value !== undefined && filters.push({ column, values: [value] });
  add('target_id', input.target_id?.toLowerCase());
  add('actor_id', input.actor_id?.toLowerCase());
  const actions = wantedActions(input);
  if (actions?.length === 0) return null;
  if (actions) filters.push({ column: 'action', values: actions });
  add('actor_kind', input.actor_kind);
  const [lead = null, ...others] = filters;
  return {
    orgId,
    from: input.from === undefined ? firstIdAt(0) : firstIdAt(timeOf(input.from)),
    // Inclusive: ids of the given millisecond are wanted.
    before: firstIdAt(input.to === undefined ? LAST_MS : timeOf(input.to) + 1),
    lead,
    others,
  };
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
function foundIn(read: Reader, wanted: Wanted, limit: number) {
  const { lead, others } = wanted;
  const walked = others.length > 0 ? MAX_LISTED_ENTRIES : limit;
  const scans = [wanted.orgId, null].flatMap((owner) =>
    (lead?.values ?? [null]).map((value) => scan(read, wanted, owner, value, walked)),
  );
  const [first, ...more] = scans as [Scan, ...Scan[]];
  const merged = more.reduce((all, one) => all.unionAll(one), first);
  return read.selectFrom(merged.as('scans')).select('id');
}

type Scan = ReturnType<typeof scan>;

/** Along one index, and limited in itself: otherwise an engine may sort all rows of all scans. */
function scan(
  read: Reader,
  { from, before, lead, others }: Wanted,
  owner: string | null,
  value: string | null,
  limit: number,
) {
  let rows = read
    .selectFrom('audit')
    .select(['id', ...others.map(({ column }) => column)])
    .where('org_id', owner === null ? 'is' : '=', owner)
    .where('id', '>=', from)
    .where('id', '<', before);
  if (lead) rows = rows.where(lead.column, '=', value);
  let found = read.selectFrom(rows.orderBy('id', 'desc').limit(limit).as('scan')).select('id');
  for (const { column, values } of others) found = found.where(column, 'in', values);
  return found;
}

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

// Records what was done in the transaction of the act itself: an act that is rolled back leaves no row, and a repeated
// request that gets the recorded response writes none.

import type { App, TxApp } from '../app/app.js';
import { MINUTE_MS } from '../core/durations.js';
import { firstIdAt, timeOfId } from '../core/ids.js';
import type { Tx } from '../db/database.js';
import { prepareColumnWrite } from '../db/prepared-statements.js';
import type { AuditRow, AuditTable } from '../db/tables.js';
import type { CallerWithAddress } from '../request/caller.js';
import { ACTIONS, type AuditAction } from './actions.js';
import type { AuditDetails } from './schema.js';

/** Who acts, in which organization (null: in the whole installation), and from where. */
export interface Actor<Org extends string | null = string | null> {
  orgId: Org;
  kind: AuditTable['actor_kind'];
  id: string | null;
  name: string;
  address: string | null;
}

export interface Act {
  action: AuditAction;
  /** What was acted on. Its kind follows from the action. */
  target: { id: string | null; name: string | null };
  details?: AuditDetails;
}

type AuditDeps = Pick<TxApp, 'newId'>;

export const byCaller = (caller: CallerWithAddress): Actor<string> => ({
  orgId: caller.orgId,
  kind: caller.via === 'key' ? 'key' : 'person',
  id: caller.via === 'key' ? caller.keyId : caller.personId,
  name: caller.name,
  address: caller.address,
});

/** The actor of an act by a person who has no session yet. */
export const byPerson = (
  person: { org_id: string; id: string; name: string },
  address: string | null,
): Actor => ({ orgId: person.org_id, kind: 'person', id: person.id, name: person.name, address });

const withoutId =
  (kind: Actor['kind'], name: string) =>
  <Org extends string | null>(orgId: Org, address: string | null = null): Actor<Org> => ({
    orgId,
    kind,
    id: null,
    name,
    address,
  });

export const byOperator = withoutId('operator', 'Operator');
export const bySystem = withoutId('system', 'Airdate');
export const byPlatform = (orgId: string, platform: string): Actor<string> => ({
  orgId,
  kind: 'platform',
  id: null,
  name: platform,
  address: null,
});

/** Acts of one request. Call it before `recordEvent`, which is the last write of a transaction. */
export async function recordAudit(
  app: AuditDeps,
  tx: Tx,
  actor: Actor,
  ...acts: readonly Act[]
): Promise<void> {
  const rows = acts.map((act) => rowOf(app, actor, act));
  const [only, ...more] = rows;
  if (only && more.length === 0) await insertRow(tx, only);
  else
    for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT)
      await tx
        .insertInto('audit')
        .values(rows.slice(from, from + ROWS_PER_STATEMENT))
        .execute();
}

/** Statements take a limited number of parameters. */
const ROWS_PER_STATEMENT = 500;

/** One row for each person, address and minute; the count rises with each failure. */
export async function countFailedSignIn(
  app: Pick<TxApp, 'newId' | 'clock'>,
  tx: Tx,
  person: { org_id: string; id: string; name: string },
  address: string,
): Promise<void> {
  const act: Act = { action: 'person.sign_in_failed', target: person };
  const row = rowOf(app, bySystem(person.org_id, address), act);
  await tx
    .insertInto('audit')
    .values({ ...row, minute: minuteOf(app) })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'target_id', 'address', 'minute'])
        .where('minute', 'is not', null)
        .doUpdateSet((eb) => ({ n: eb('audit.n', '+', 1) })),
    )
    .execute();
}

/** One row for each address and minute; two, if processes write the first at the same time. */
export async function countRefusedToken(
  app: Pick<App, 'newId' | 'clock' | 'db'>,
  address: string,
): Promise<void> {
  const act: Act = { action: 'installation.token_refused', target: { id: null, name: null } };
  const row = rowOf(app, bySystem(null, address), act);
  const minute = minuteOf(app);
  await app.db.transact(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('audit')
      .set((eb) => ({ n: eb('n', '+', 1) }))
      .where('org_id', 'is', null)
      .where('action', '=', act.action)
      .where('id', '>', firstIdAt(row.at - 2 * MINUTE_MS))
      .where('address', '=', address)
      .where('minute', '=', minute)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      await tx
        .insertInto('audit')
        .values({ ...row, minute })
        .execute();
  });
}

const minuteOf = ({ clock }: Pick<App, 'clock'>) => Math.floor(clock.now() / MINUTE_MS);

/** One row for each post, caller and ten minutes; it names all fields that were changed. The post is locked. */
export async function recordEdit(
  app: AuditDeps,
  tx: Tx,
  caller: CallerWithAddress,
  post: { id: string; title: string },
  fields: readonly string[],
): Promise<void> {
  const actor = byCaller(caller);
  const row = rowOf(app, actor, {
    action: 'post.edited',
    target: { id: post.id, name: post.title },
    details: { fields: [...fields] },
  });
  const recent = await tx
    .selectFrom('audit')
    .select(['id', 'details'])
    .where('org_id', '=', actor.orgId)
    .where('target_id', '=', post.id)
    .where('id', '>', firstIdAt(row.at - ONE_EDIT_MS))
    .where('action', '=', row.action)
    .where('actor_id', '=', row.actor_id)
    .executeTakeFirst();
  if (!recent) return void (await insertRow(tx, row));
  const { fields: earlier = [] } = JSON.parse(recent.details ?? '{}') as AuditDetails;
  const all = [...new Set([...earlier, ...fields])];
  if (all.length === earlier.length) return;
  await tx
    .updateTable('audit')
    .set({ details: JSON.stringify({ fields: all } satisfies AuditDetails) })
    .where('id', '=', recent.id)
    .execute();
}

const ONE_EDIT_MS = 10 * MINUTE_MS;

const insertRow = prepareColumnWrite((tx, row: NewRow) => tx.insertInto('audit').values(row));

type NewRow = Omit<AuditRow, 'minute' | 'n'>;

function rowOf(app: AuditDeps, actor: Actor, { action, target, details }: Act): NewRow {
  const id = app.newId();
  return {
    id,
    org_id: actor.orgId,
    at: timeOfId(id),
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    address: actor.address,
    action,
    target_kind: ACTIONS[action][0],
    target_id: target.id,
    target_name: target.name,
    details: details === undefined ? null : JSON.stringify(details),
  };
}

export const restoredAct = (reason: string): Act => ({
  action: 'installation.restored',
  target: { id: null, name: null },
  details: { reason },
});

/** An account that has just been connected gets its name from the platform a moment later. */
export async function nameTarget(
  tx: Tx,
  { org_id, id }: { org_id: string; id: string },
  name: string,
): Promise<void> {
  await tx
    .updateTable('audit')
    .set({ target_name: name })
    .where('org_id', '=', org_id)
    .where('target_id', '=', id)
    .where('target_name', 'is', null)
    .execute();
}

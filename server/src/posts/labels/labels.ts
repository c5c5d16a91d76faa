// Labels of an organization: few, with a name that is unique regardless of case.
import type { Updateable } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import { asUuid } from '../../core/ids.js';
import { invalid } from '../../core/problems.js';
import { markChanged } from '../../db/changes.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { lockOrganization } from '../../db/lock-organization.js';
import type { LabelRow, LabelTable } from '../../db/tables.js';
import type { Caller, CallerWithAddress } from '../../request/caller.js';
import { type Page, type PageParameters, pageWindow, paginate } from '../../request/pagination.js';
import { requireFound } from '../../request/require-found.js';
import { assertBelowLimit, assertNameFree, type NamedTable, nameColumns } from '../unique-names.js';
import { type CreateLabel, type Label, MAX_LABELS, type UpdateLabel } from './schema.js';

const LABELS: NamedTable = { table: 'labels', limit: MAX_LABELS, other: 'a label' };

export async function listLabels(app: App, caller: Caller, input: PageParameters): Promise<Page<Label>> {
  const labels = app.db.read.selectFrom('labels').where('org_id', '=', caller.orgId);
  const { n } = await labels.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = pageWindow(input);
  const rows = await labels.selectAll().orderBy('name_key').limit(limit).offset(offset).execute();
  return paginate(rows.map(presentLabel), input, n);
}

export const getLabel = async (app: App, caller: Caller, id: string): Promise<Label> =>
  presentLabel(await requireLabel(app.db.read, caller, id));

export async function createLabel(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  input: CreateLabel,
  id = app.newId(),
): Promise<Label> {
  const { orgId } = caller;
  await lockOrganization(tx, orgId);
  await assertNameFree(tx, LABELS, { org_id: orgId }, input.name);
  await assertBelowLimit(tx, LABELS, orgId);
  const row: LabelRow = {
    org_id: orgId,
    id,
    ...nameColumns(input.name),
    colour: input.colour,
    created_at: app.clock.now(),
  };
  await tx.insertInto('labels').values(row).execute();
  markChanged(tx, orgId, { labels: true });
  await recordAudit(app, tx, byCaller(caller), { action: 'label.created', target: row });
  return presentLabel(row);
}

export async function updateLabel(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  { name, colour }: UpdateLabel,
): Promise<Label> {
  const { orgId } = caller;
  await lockOrganization(tx, orgId);
  const before = await requireLabel(tx, caller, id);
  const changes: Updateable<LabelTable> = {};
  if (colour !== undefined) changes.colour = colour;
  if (name !== undefined) {
    await assertNameFree(tx, LABELS, { org_id: orgId }, name, before.id);
    Object.assign(changes, nameColumns(name));
  }
  if (Object.keys(changes).length === 0) return presentLabel(before);
  const after = await tx
    .updateTable('labels')
    .set(changes)
    .where(isRow(before))
    .returningAll()
    .executeTakeFirstOrThrow();
  markChanged(tx, orgId, { labels: true });
  const fields = (['name', 'colour'] as const).filter((field) => before[field] !== after[field]);
  const renamed = before.name === after.name ? {} : { from: before.name, to: after.name };
  if (fields.length > 0)
    await recordAudit(app, tx, byCaller(caller), {
      action: 'label.changed',
      target: after,
      details: { fields, ...renamed },
    });
  return presentLabel(after);
}

/** Checks the label that a list is filtered by. */
export async function requireKnownLabel(read: Reader, orgId: string, id: string): Promise<void> {
  const uuid = asUuid(id);
  if (uuid === null || !(await findLabel(read, { org_id: orgId, id: uuid })))
    throw invalid([{ pointer: '/label', message: 'is not a label of your organization' }]);
}

export const requireLabel = (read: Reader, caller: Pick<Caller, 'orgId'>, id: string): Promise<LabelRow> =>
  requireFound('label', caller, id, (row) => findLabel(read, row));

const findLabel = (read: Reader, row: { org_id: string; id: string }): Promise<LabelRow | undefined> =>
  read.selectFrom('labels').selectAll().where(isRow(row)).executeTakeFirst();

const presentLabel = ({ id, name, colour, created_at }: LabelRow): Label => ({
  id,
  name,
  colour: colour as Label['colour'],
  created_at: toTimestamp(created_at),
});

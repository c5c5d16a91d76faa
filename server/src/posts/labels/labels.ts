// Labels of an organization: few, with a name that is unique regardless of case.
import type { Updateable } from 'kysely';
import { byCaller, recordAudit } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import { asUuid } from '../../core/ids.js';
import { AppError, invalid, notFound } from '../../core/problems.js';
import { markChanged } from '../../db/changes.js';
import type { Reader, Tx } from '../../db/database.js';
import type { LabelRow, LabelTable } from '../../db/tables.js';
import type { App, TxApp } from '../../request/app.js';
import type { Caller, CallerWithAddress } from '../../request/caller.js';
import { type Page, type PageParameters, pageWindow, paginate } from '../../request/pagination.js';
import { lockOrganization, nameKey } from '../text-keys.js';
import { type CreateLabel, type Label, MAX_LABELS, type UpdateLabel } from './schema.js';

export async function listLabels(app: App, caller: Caller, input: PageParameters): Promise<Page<Label>> {
  const labels = app.db.read.selectFrom('labels').where('org_id', '=', caller.orgId);
  const { n } = await labels.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = pageWindow(input);
  const rows = await labels.selectAll().orderBy('name_key').limit(limit).offset(offset).execute();
  return paginate(rows.map(presentLabel), input, n);
}

export async function getLabel(app: App, { orgId }: Caller, id: string): Promise<Label> {
  const row = await findLabel(app.db.read, orgId, id);
  if (!row) throw notFound('label');
  return presentLabel(row);
}

export async function createLabel(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  input: CreateLabel,
  id = app.newId(),
): Promise<Label> {
  const { orgId } = caller;
  await lockOrganization(tx, orgId);
  await assertNameFree(tx, orgId, input.name, null);
  const { n } = await tx
    .selectFrom('labels')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  if (n >= MAX_LABELS)
    throw new AppError(
      'limit_reached',
      `The organization has ${MAX_LABELS} labels, the most it can have. Delete one that is no longer used.`,
    );
  const row: LabelRow = {
    org_id: orgId,
    id,
    name: input.name,
    name_key: nameKey(input.name),
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
  const before = await findLabel(tx, orgId, id);
  if (!before) throw notFound('label');
  const changes: Updateable<LabelTable> = {};
  if (colour !== undefined) changes.colour = colour;
  if (name !== undefined) {
    await assertNameFree(tx, orgId, name, before.id);
    Object.assign(changes, { name, name_key: nameKey(name) });
  }
  if (Object.keys(changes).length === 0) return presentLabel(before);
  const after = await tx
    .updateTable('labels')
    .set(changes)
    .where('org_id', '=', orgId)
    .where('id', '=', before.id)
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

/** For filters. */
export async function requireKnownLabel(read: Reader, orgId: string, id: string): Promise<void> {
  if (!(await findLabel(read, orgId, id)))
    throw invalid([{ pointer: '/label', message: 'is not a label of your organization' }]);
}

export async function findLabel(read: Reader, orgId: string, id: string): Promise<LabelRow | undefined> {
  const uuid = asUuid(id);
  if (uuid === null) return undefined;
  return read
    .selectFrom('labels')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', uuid)
    .executeTakeFirst();
}

async function assertNameFree(tx: Tx, orgId: string, name: string, ownId: string | null): Promise<void> {
  const found = await tx
    .selectFrom('labels')
    .select('id')
    .where('org_id', '=', orgId)
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst();
  if (found && found.id !== ownId)
    throw new AppError('name_taken', 'The organization already has a label with this name. Choose another.');
}

const presentLabel = ({ id, name, colour, created_at }: LabelRow): Label => ({
  id,
  name,
  colour: colour as Label['colour'],
  created_at: toTimestamp(created_at),
});

// All attempts, or those that a filter wants, as a file; newest first.
import type { FastifyReply } from 'fastify';
import { accountMustBeKnown } from '../../accounts/accounts.js';
import type { App } from '../../api/app.js';
import type { ActingCaller } from '../../api/caller.js';
import { sendExport } from '../../api/exports.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import type { Reader } from '../../db/database.js';
import { type Place, type WantedAttempts, wantedAttempts } from './find.js';
import { presentDispatch } from './present.js';
import { Dispatch, type ExportDispatches } from './schema.js';

export const EXPORTED_FIELDS = Object.keys(Dispatch.properties);

const PAGE = 500;

export async function exportDispatches(
  app: App,
  caller: ActingCaller,
  input: ExportDispatches,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { orgId } = caller;
  if (input.social_account_id) await accountMustBeKnown(app.db.read, orgId, input.social_account_id);
  const wanted = wantedAttempts(orgId, input);
  const { format = 'csv' } = input;
  const pages = (read: Reader) => {
    let behind: Place | null = null;
    return async () => {
      const rows = await pageBehind(read, wanted, behind);
      behind = rows.at(-1) ?? behind;
      return rows.map(presentDispatch);
    };
  };
  const act = {
    action: 'dispatch.exported',
    target: { id: orgId, name: null },
    details: { format },
  } as const;
  const record = () => app.db.transact((tx) => recordAudit(app, tx, byCaller(caller), act));
  return sendExport(app, reply, {
    orgId,
    name: 'dispatches',
    format,
    fields: EXPORTED_FIELDS,
    record,
    pages,
  });
}

function pageBehind(read: Reader, { orgId, from, to, lead, others }: WantedAttempts, behind: Place | null) {
  let rows = read.selectFrom('dispatches').selectAll().where('org_id', '=', orgId);
  for (const { column, values } of lead ? [lead, ...others] : []) rows = rows.where(column, 'in', values);
  if (from !== null) rows = rows.where('started_at', '>=', from);
  if (to !== null) rows = rows.where('started_at', '<=', to);
  if (behind !== null)
    rows = rows.where((eb) =>
      eb(eb.refTuple('started_at', 'id'), '<', eb.tuple(behind.started_at, behind.id)),
    );
  return rows.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(PAGE).execute();
}

// All attempts, or those that a filter wants, as a file; newest first.
import type { FastifyReply } from 'fastify';
import { requireKnownAccount } from '../../accounts/accounts.js';
import type { App } from '../../app/app.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import type { Reader } from '../../db/database.js';
import type { CallerWithAddress } from '../../request/caller.js';
import { sendExport } from '../../request/exports.js';
import { type LogCursor, type WantedAttempts, wantedAttempts } from './find.js';
import { presentDispatch } from './present.js';
import { Dispatch, type ExportDispatches } from './schema.js';

export const EXPORTED_DISPATCH_FIELDS = Object.keys(Dispatch.properties);

const PAGE = 500;

export async function exportDispatches(
  app: App,
  caller: CallerWithAddress,
  input: ExportDispatches,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { orgId } = caller;
  if (input.social_account_id) await requireKnownAccount(app.db.read, orgId, input.social_account_id);
  const wanted = wantedAttempts(orgId, input);
  const { format = 'csv' } = input;
  const pages = (read: Reader) => {
    let behind: LogCursor | null = null;
    return async () => {
      const rows = await pageAfter(read, wanted, behind);
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
    fields: EXPORTED_DISPATCH_FIELDS,
    record,
    pages,
  });
}

function pageAfter(read: Reader, { orgId, bounds, filters }: WantedAttempts, behind: LogCursor | null) {
  let rows = read.selectFrom('dispatches').selectAll().where('org_id', '=', orgId);
  for (const { column, values } of filters) rows = rows.where(column, 'in', values);
  for (const [side, at] of bounds) rows = rows.where('started_at', side, at);
  if (behind !== null)
    rows = rows.where((eb) =>
      eb(eb.refTuple('started_at', 'id'), '<', eb.tuple(behind.started_at, behind.id)),
    );
  return rows.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(PAGE).execute();
}

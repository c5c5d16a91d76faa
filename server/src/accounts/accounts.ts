// Connected accounts of the platform. How an account is connected comes with publishing; here they are referred to.
import type { App } from '../app.js';
import { toTimestamp } from '../clock.js';
import type { Reader, Tx } from '../db/database.js';
import type { Caller } from '../http/caller.js';
import { type Page, type PageParameters, paginate, window } from '../http/pagination.js';
import { asUuid } from '../ids.js';
import { invalid } from '../problems.js';
import type { SocialAccount } from './schema.js';

/** An account that waits to be reconnected is still the organization's; one that was disconnected is not. */
export async function accountMustBeConnected(db: Reader | Tx, orgId: string, id: string): Promise<void> {
  const uuid = asUuid(id);
  const found =
    uuid !== null &&
    (await db
      .selectFrom('social_accounts')
      .select('id')
      .where('org_id', '=', orgId)
      .where('id', '=', uuid)
      .where('status', '<>', 'disconnected')
      .executeTakeFirst());
  if (!found)
    throw invalid([
      { pointer: '/social_account_id', message: 'is not a connected account of your organization' },
    ]);
}

export async function listAccounts(
  app: App,
  caller: Caller,
  input: PageParameters,
): Promise<Page<SocialAccount>> {
  const accounts = app.db.read.selectFrom('social_accounts').where('org_id', '=', caller.orgId);
  const { n } = await accounts.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = window(input);
  const rows = await accounts.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
  const data = rows.map((row) => ({
    ...row,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }));
  return paginate(data, input, n);
}

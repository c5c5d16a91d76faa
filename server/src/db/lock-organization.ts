import type { Tx } from './database.js';
import type { OrganizationRow } from './tables.js';

/**
 * Makes transactions of one organization wait for each other, so that a name, a role or the last of a quota is taken once. Not "for
 * update": that would block every write that refers to the organization.
 */
export const lockOrganization = (tx: Tx, id: string): Promise<OrganizationRow> =>
  tx.selectFrom('organizations').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();

// Names that are unique within an organization regardless of case: of labels and of snippets.
import type { Tx } from '../db/database.js';
import { fold } from './search/text.js';

/** Names that people take for the same have the same key, which is compared byte by byte. */
export const nameKey = (name: string): string => fold(name).trim().replaceAll(/\s+/gu, ' ');

/**
 * Makes the organization's requests of this kind wait for each other, so that a name and the last place are taken once.
 * Not "for update": that would block every write that refers to the organization.
 */
export async function lockOrganization(tx: Tx, orgId: string): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
}

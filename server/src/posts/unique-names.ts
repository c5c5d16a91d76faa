// Names of labels and snippets: few in an organization, and unique there regardless of case.
import { AppError } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import type { SnippetRow } from '../db/tables.js';
import { nameKey } from './text-keys.js';

export interface NamedTable {
  table: 'labels' | 'snippets';
  /** How many rows an organization can have. */
  limit: number;
  /** What another row with the same name is. */
  other: string;
}

/** The rows among which a name is unique. */
interface Scope {
  org_id: string;
  kind?: SnippetRow['kind'];
}

export const nameColumns = (name: string) => ({ name, name_key: nameKey(name) });

/** `ownId`: the row that may keep its name. The organization is locked. */
export async function assertNameFree(
  tx: Tx,
  { table, other }: NamedTable,
  scope: Scope,
  name: string,
  ownId: string | null = null,
): Promise<void> {
  const found = await tx
    .selectFrom(table)
    .select('id')
    .where(({ and }) => and({ ...scope, name_key: nameKey(name) }))
    .executeTakeFirst();
  if (found && found.id !== ownId)
    throw new AppError('name_taken', `The organization already has ${other} with this name. Choose another.`);
}

/** The organization is locked. */
export async function assertBelowLimit(tx: Tx, { table, limit }: NamedTable, orgId: string): Promise<void> {
  const { n } = await tx
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  if (n >= limit)
    throw new AppError(
      'limit_reached',
      `The organization has ${limit} ${table}, the most it can have. Delete one that is no longer used.`,
    );
}

// Saved texts that members put into posts. A post keeps the text itself, so a change of a snippet changes no post.
import type { Updateable } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { toTimestamp } from '../../core/clock.js';
import { invalid } from '../../core/problems.js';
import { markChanged } from '../../db/changes.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { lockOrganization } from '../../db/lock-organization.js';
import type { SnippetRow, SnippetTable } from '../../db/tables.js';
import type { Caller } from '../../request/caller.js';
import { type Page, pageWindow, paginate } from '../../request/pagination.js';
import { requireFound } from '../../request/require-found.js';
import { MAX_LENGTHS } from '../schema.js';
import { assertBelowLimit, assertNameFree, type NamedTable, nameColumns } from '../unique-names.js';
import {
  type CreateSnippet,
  type ListSnippets,
  MAX_SNIPPETS,
  type Snippet,
  type UpdateSnippet,
} from './schema.js';

const SNIPPETS: NamedTable = {
  table: 'snippets',
  limit: MAX_SNIPPETS,
  other: 'a snippet of this kind',
};

export async function listSnippets(app: App, caller: Caller, input: ListSnippets): Promise<Page<Snippet>> {
  let snippets = app.db.read.selectFrom('snippets').where('org_id', '=', caller.orgId);
  if (input.kind) snippets = snippets.where('kind', '=', input.kind);
  const { n } = await snippets.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = pageWindow(input);
  const rows = await snippets
    .selectAll()
    .orderBy('kind')
    .orderBy('name_key')
    .limit(limit)
    .offset(offset)
    .execute();
  return paginate(rows.map(presentSnippet), input, n);
}

export async function getSnippet(app: App, caller: Caller, id: string): Promise<Snippet> {
  const row = await requireFound('snippet', caller, id, (row) => findSnippet(app.db.read, row));
  return presentSnippet(row);
}

const findSnippet = (read: Reader, row: { org_id: string; id: string }) =>
  read.selectFrom('snippets').selectAll().where(isRow(row)).executeTakeFirst();

export async function createSnippet(
  app: TxApp,
  tx: Tx,
  { orgId }: Caller,
  { kind, name, text }: CreateSnippet,
): Promise<Snippet> {
  assertTextLength(kind, text);
  await lockOrganization(tx, orgId);
  await assertNameFree(tx, SNIPPETS, { org_id: orgId, kind }, name);
  await assertBelowLimit(tx, SNIPPETS, orgId);
  const now = app.clock.now();
  const row: SnippetRow = {
    org_id: orgId,
    id: app.newId(),
    kind,
    ...nameColumns(name),
    content: text,
    created_at: now,
    updated_at: now,
  };
  await tx.insertInto('snippets').values(row).execute();
  markChanged(tx, orgId, { snippets: true });
  return presentSnippet(row);
}

export async function updateSnippet(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  id: string,
  { name, text }: UpdateSnippet,
): Promise<Snippet> {
  const { orgId } = caller;
  await lockOrganization(tx, orgId);
  const before = await requireFound('snippet', caller, id, (row) => findSnippet(tx, row));
  if (name === undefined && text === undefined) return presentSnippet(before);
  const changes: Updateable<SnippetTable> = { updated_at: app.clock.now() };
  if (text !== undefined) {
    assertTextLength(before.kind, text);
    changes.content = text;
  }
  if (name !== undefined) {
    await assertNameFree(tx, SNIPPETS, { org_id: orgId, kind: before.kind }, name, before.id);
    Object.assign(changes, nameColumns(name));
  }
  const after = await tx
    .updateTable('snippets')
    .set(changes)
    .where(isRow(before))
    .returningAll()
    .executeTakeFirstOrThrow();
  markChanged(tx, orgId, { snippets: true });
  return presentSnippet(after);
}

export async function deleteSnippet(tx: Tx, caller: Caller, id: string): Promise<void> {
  await requireFound('snippet', caller, id, (row) =>
    tx.deleteFrom('snippets').where(isRow(row)).returning('id').executeTakeFirst(),
  );
  markChanged(tx, caller.orgId, { snippets: true });
}

function assertTextLength(kind: SnippetRow['kind'], text: string): void {
  const maxLength = MAX_LENGTHS[kind];
  // Counted as the schema counts: a character outside the basic plane is one.
  if ([...text].length > maxLength)
    throw invalid([{ pointer: '/text', message: `must have at most ${maxLength} characters for ${kind}` }]);
}

const presentSnippet = ({ id, kind, name, content, created_at, updated_at }: SnippetRow): Snippet => ({
  id,
  kind,
  name,
  text: content,
  created_at: toTimestamp(created_at),
  updated_at: toTimestamp(updated_at),
});

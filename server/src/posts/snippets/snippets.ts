// Saved texts that members put into posts. A post keeps the text itself, so a change of a snippet changes no post.
import type { Updateable } from 'kysely';
import { toTimestamp } from '../../core/clock.js';
import { AppError, invalid } from '../../core/problems.js';
import { markChanged } from '../../db/changes.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { SnippetRow, SnippetTable } from '../../db/tables.js';
import type { App, TxApp } from '../../request/app.js';
import type { Caller } from '../../request/caller.js';
import { type Page, pageWindow, paginate } from '../../request/pagination.js';
import { requireFound } from '../../request/require-found.js';
import { LONGEST } from '../schema.js';
import { lockOrganization, nameKey } from '../text-keys.js';
import {
  type CreateSnippet,
  type ListSnippets,
  MAX_SNIPPETS,
  type Snippet,
  type UpdateSnippet,
} from './schema.js';

type Kind = SnippetRow['kind'];

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

const findSnippet = (read: Reader | Tx, row: { org_id: string; id: string }) =>
  read.selectFrom('snippets').selectAll().where(isRow(row)).executeTakeFirst();

export async function createSnippet(
  app: TxApp,
  tx: Tx,
  { orgId }: Caller,
  { kind, name, text }: CreateSnippet,
): Promise<Snippet> {
  assertTextLength(kind, text);
  await lockOrganization(tx, orgId);
  await assertNameFree(tx, orgId, kind, name, null);
  const { n } = await tx
    .selectFrom('snippets')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  if (n >= MAX_SNIPPETS)
    throw new AppError(
      'limit_reached',
      `The organization has ${MAX_SNIPPETS} snippets, the most it can have. Delete one that is no longer used.`,
    );
  const now = app.clock.now();
  const row: SnippetRow = {
    org_id: orgId,
    id: app.newId(),
    kind,
    name,
    name_key: nameKey(name),
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
    await assertNameFree(tx, orgId, before.kind, name, before.id);
    Object.assign(changes, { name, name_key: nameKey(name) });
  }
  const after = await tx
    .updateTable('snippets')
    .set(changes)
    .where('org_id', '=', orgId)
    .where('id', '=', before.id)
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

function assertTextLength(kind: Kind, text: string): void {
  const most = LONGEST[kind];
  // Counted as the schema counts: a character outside the basic plane is one.
  if ([...text].length > most)
    throw invalid([{ pointer: '/text', message: `must have at most ${most} characters for ${kind}` }]);
}

async function assertNameFree(
  tx: Tx,
  orgId: string,
  kind: Kind,
  name: string,
  ownId: string | null,
): Promise<void> {
  const found = await tx
    .selectFrom('snippets')
    .select('id')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst();
  if (found && found.id !== ownId)
    throw new AppError(
      'name_taken',
      'The organization already has a snippet of this kind with this name. Choose another.',
    );
}

const presentSnippet = ({ id, kind, name, content, created_at, updated_at }: SnippetRow): Snippet => ({
  id,
  kind,
  name,
  text: content,
  created_at: toTimestamp(created_at),
  updated_at: toTimestamp(updated_at),
});

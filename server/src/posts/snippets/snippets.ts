// Saved texts that members put into posts. A post keeps the text itself, so a change of a snippet changes no post.
import type { Updateable } from 'kysely';
import { toTimestamp } from '../../core/clock.js';
import { asUuid } from '../../core/ids.js';
import { AppError, invalid, notFound } from '../../core/problems.js';
import { markChanged } from '../../db/changes.js';
import type { Tx } from '../../db/database.js';
import type { SnippetRow, SnippetTable } from '../../db/tables.js';
import type { App, TxApp } from '../../request/app.js';
import type { Caller } from '../../request/caller.js';
import { type Page, pageWindow, paginate } from '../../request/pagination.js';
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
  { orgId }: Caller,
  id: string,
  { name, text }: UpdateSnippet,
): Promise<Snippet> {
  await lockOrganization(tx, orgId);
  const uuid = asUuid(id);
  const before =
    uuid !== null &&
    (await tx
      .selectFrom('snippets')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('id', '=', uuid)
      .executeTakeFirst());
  if (!before) throw notFound('snippet');
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

export async function deleteSnippet(tx: Tx, { orgId }: Caller, id: string): Promise<void> {
  const uuid = asUuid(id);
  const gone =
    uuid !== null &&
    (await tx
      .deleteFrom('snippets')
      .where('org_id', '=', orgId)
      .where('id', '=', uuid)
      .returning('id')
      .executeTakeFirst());
  if (!gone) throw notFound('snippet');
  markChanged(tx, orgId, { snippets: true });
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

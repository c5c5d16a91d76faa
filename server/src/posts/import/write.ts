// Creates the posts of a checked import in one transaction: all of them, or none. Statements insert many rows each, and other
// requests are served between them; on SQLite other writes wait meanwhile, and reads see nothing of it before the commit.
import { requireAccountInUse } from '../../accounts/accounts.js';
import type { TxApp } from '../../app/app.js';
import { AppError, invalid } from '../../core/problems.js';
import type { Tx } from '../../db/database.js';
import type { CallerWithAddress } from '../../request/caller.js';
import { createLabel } from '../labels/labels.js';
import { existingLabels } from '../labels/post-labels.js';
import { COLOURS } from '../labels/schema.js';
import { insertPosts } from '../write.js';
import type { CheckedImport } from './check.js';
import type { PlannedPost } from './plan.js';

export async function writeImport(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { posts, scheduled, media, newLabels }: CheckedImport,
  writeFiles: () => Promise<void>,
): Promise<void> {
  const colours = newLabels.length === 0 ? [] : await coloursInUse(tx, caller.orgId);
  for (const { id, name } of newLabels) {
    const colour = leastUsed(colours);
    colours.push(colour);
    await createLabel(app, tx, caller, { name, colour }, id).catch(asTaken);
  }
  await assertReferencesExist(tx, caller.orgId, posts);
  const act = {
    action: 'post.imported',
    target: { id: caller.orgId, name: null },
    details: { posts: posts.length, scheduled, files: media },
  } as const;
  await insertPosts(app, tx, caller, posts, act, writeFiles);
}

async function coloursInUse(tx: Tx, orgId: string): Promise<string[]> {
  const labels = await tx.selectFrom('labels').select('colour').where('org_id', '=', orgId).execute();
  return labels.map(({ colour }) => colour);
}

/** As the dashboard chooses for a new label: labels differ, and grey is a person's choice. */
function leastUsed(inUse: readonly string[]) {
  const uses = (colour: string) => inUse.filter((one) => one === colour).length;
  const [, first, ...others] = COLOURS;
  return others.reduce<(typeof COLOURS)[number]>(
    (least, colour) => (uses(colour) < uses(least) ? colour : least),
    first,
  );
}

/** What the check has found may have been disconnected or deleted since. Labels are locked until the transaction ends. */
async function assertReferencesExist(tx: Tx, orgId: string, posts: readonly PlannedPost[]): Promise<void> {
  const accountIds = new Set(posts.flatMap(({ post }) => post.social_account_id ?? []));
  for (const id of accountIds) await requireAccountInUse(tx, orgId, id).catch(asChange);
  const labelIds = [...new Set(posts.flatMap(({ labelIds }) => labelIds))];
  if ((await existingLabels(tx, orgId, labelIds)).length < labelIds.length)
    throw invalid([
      { pointer: '/csv', message: 'names a label that was deleted while the file was checked' },
    ]);
}

function asTaken(error: unknown): never {
  if (error instanceof AppError && error.code === 'name_taken')
    throw invalid([
      {
        pointer: '/csv',
        message: 'names a label that was created while the file was checked; send it again',
      },
    ]);
  throw error;
}

function asChange(error: unknown): never {
  if (error instanceof AppError && error.code === 'validation_failed')
    throw invalid([
      { pointer: '/csv', message: 'names an account that was disconnected while the file was checked' },
    ]);
  throw error;
}

// The labels of posts. The post's column is what responses show; post_labels is written with it, for the filter.
import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import { invalid } from '../../core/problems.js';
import { markChanged } from '../../db/changes.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { PostRow } from '../../db/tables.js';
import type { CallerWithAddress } from '../../request/caller.js';
import { requireLabel } from './labels.js';

export const labelsOf = ({ labels }: Pick<PostRow, 'labels'>): string[] =>
  labels === null ? [] : labels.split(' ');

/** The column of a post with these labels. */
export const labelsColumn = (ids: readonly string[]): string | null =>
  ids.length === 0 ? null : ids.join(' ');

/**
 * The given ids in canonical form; throws if one is no label of the organization. The labels are locked against deletion until
 * the transaction ends.
 */
export async function requireKnownLabels(tx: Tx, orgId: string, given: readonly string[]): Promise<string[]> {
  const ids = given.map((id) => id.toLowerCase());
  const known = new Set(await existingLabels(tx, orgId, ids));
  const errors = ids.flatMap((id, i) => {
    if (!known.has(id)) return [{ pointer: `/labels/${i}`, message: 'is not a label of your organization' }];
    return ids.indexOf(id) === i ? [] : [{ pointer: `/labels/${i}`, message: 'is in the list twice' }];
  });
  if (errors.length > 0) throw invalid(errors);
  return ids;
}

/** Those of the ids that are labels of the organization, in the same order, locked against deletion. */
export async function existingLabels(tx: Tx, orgId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('labels')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forKeyShare()
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => known.has(id));
}

/** Brings post_labels in line with the column of a post that is written in this transaction. */
export async function syncPostLabels(
  tx: Tx,
  { org_id, id: post_id, created_at }: Pick<PostRow, 'org_id' | 'id' | 'created_at'>,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const removed = before.filter((id) => !after.includes(id));
  const added = after.filter((id) => !before.includes(id));
  if (removed.length > 0)
    await tx
      .deleteFrom('post_labels')
      .where('org_id', '=', org_id)
      .where('post_id', '=', post_id)
      .where('label_id', 'in', removed)
      .execute();
  if (added.length > 0)
    await tx
      .insertInto('post_labels')
      .values(added.map((label_id) => ({ org_id, post_id, label_id, created_at })))
      .execute();
}

/** The posts with a label, newest first. */
export const postsWith = (read: Reader, orgId: string, labelId: string) =>
  read
    .selectFrom('post_labels')
    .select('post_id')
    .where('org_id', '=', orgId)
    .where('label_id', '=', labelId)
    .orderBy('created_at', 'desc')
    .orderBy('post_id', 'desc');

/** Posts that one transaction takes a label off. On SQLite no other transaction runs meanwhile. */
const BATCH = 200;

/**
 * Takes the label off its posts, some at a time, and deletes it with the last. It exists until then, so no post ever names a
 * label that does not; a request that is interrupted can be repeated.
 */
export async function deleteLabel(app: App, caller: CallerWithAddress, id: string): Promise<void> {
  const label = await requireLabel(app.db.read, caller, id);
  const takeOffSome = (tx: Tx) => detachLabelBatch(tx, label.org_id, label.id, app.clock.now());
  const act = { action: 'label.deleted', target: label } as const;
  const isGone = () =>
    app.db.transact(async (tx) => {
      if (!(await takeOffSome(tx))) return false;
      await recordAudit(app, tx, byCaller(caller), act);
      return true;
    });
  while (!(await isGone()));
}

/** Returns whether the label is gone. Posts are locked before the label, as by a request that changes a post. */
async function detachLabelBatch(tx: Tx, orgId: string, labelId: string, now: number): Promise<boolean> {
  const found = await postsWith(tx, orgId, labelId).limit(BATCH).execute();
  const ids = found.map(({ post_id }) => post_id);
  markChanged(tx, orgId, { posts: ids });
  if (ids.length > 0) {
    await tx
      .selectFrom('posts')
      .select('id')
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forUpdate()
      .execute();
    await tx
      .updateTable('posts')
      .set((eb) => ({
        labels: sql<string | null>`nullif(trim(replace(' ' || labels || ' ', ${` ${labelId} `}, ' ')), '')`,
        updated_at: now,
        version: eb('version', '+', 1),
      }))
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .execute();
    await tx
      .deleteFrom('post_labels')
      .where('org_id', '=', orgId)
      .where('label_id', '=', labelId)
      .where('post_id', 'in', ids)
      .execute();
  }
  if (ids.length === BATCH) return false;
  const label = isRow({ org_id: orgId, id: labelId });
  await tx.selectFrom('labels').select('id').where(label).forUpdate().execute();
  // A request may have added it to a post before the lock.
  const [one] = await postsWith(tx, orgId, labelId).limit(1).execute();
  if (one) return false;
  await tx.deleteFrom('labels').where(label).execute();
  return true;
}

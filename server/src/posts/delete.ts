// Deleting posts, with their files and attempts. What a deletion can be refused for is checked before anything is written, so
// that one of several can be refused alone.
import { countDispatches } from '../analytics/dispatch-counters.js';
import { raiseRevision } from '../analytics/revision.js';
import type { TxApp } from '../api/app.js';
import type { ActingCaller } from '../api/caller.js';
import { mustMatch } from '../api/conditions.js';
import { byCaller, recordAudits } from '../audit/record.js';
import type { Tx } from '../db/database.js';
import type { DispatchRow, PostRow } from '../db/tables.js';
import { markAssetsForDeletion } from '../files/garbage.js';
import { wrongState } from '../ground/problems.js';
import { mustNotBeSent } from './attempts.js';
import { recordPostChanges } from './counters.js';
import { recordDeleted } from './life-record.js';
import { lockPost } from './posts.js';
import { etagOf } from './present.js';
import { allows, TRANSITIONS } from './state.js';

/** Returns the keys of its objects, to be removed after the commit. */
export async function deletePost(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  id: string,
  ifMatch?: string,
): Promise<string[]> {
  const post = await lockPost(tx, caller, id);
  const planned = await planDeletion(app, tx, post);
  mustMatch(ifMatch, etagOf(post));
  return deletePosts(app, tx, caller, [planned]);
}

/** A locked post that may be deleted. */
export interface PlannedDeletion {
  post: PostRow;
  outcomes: DispatchRow['outcome'][];
}

/** Fails if the locked post may not be deleted. Writes nothing. */
export async function planDeletion(app: TxApp, tx: Tx, post: PostRow): Promise<PlannedDeletion> {
  if (!allows('delete', post.status))
    throw wrongState(
      `A post that is ${post.status} cannot be deleted, only a draft or an archived one. Archive it first.`,
    );
  return { post, outcomes: await mustNotBeSent(app, tx, post) };
}

/** Returns the keys of all objects, to be removed after the commit. Call it last in a transaction. */
export async function deletePosts(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  planned: readonly PlannedDeletion[],
): Promise<string[]> {
  if (planned.length === 0) return [];
  const { orgId } = caller;
  const deleted: { post: PostRow; objectKeys: string[] }[] = [];
  for (const { post, outcomes } of planned) {
    if (outcomes.length > 0)
      await tx.deleteFrom('dispatches').where('org_id', '=', orgId).where('post_id', '=', post.id).execute();
    const objectKeys = await markAssetsForDeletion(tx, orgId, post.id, app.clock.now());
    await tx
      .deleteFrom('posts')
      .where('org_id', '=', orgId)
      .where('id', '=', post.id)
      .where('status', 'in', TRANSITIONS.delete.from)
      .execute();
    deleted.push({ post, objectKeys });
  }
  await recordAudits(
    app,
    tx,
    byCaller(caller),
    deleted.map(({ post: { id, title, status }, objectKeys }) => ({
      action: 'post.deleted',
      target: { id, name: title },
      details: { status, files: objectKeys.length },
    })),
  );
  await recordPostChanges(
    tx,
    planned.map(({ post: before }) => ({ before })),
  );
  const outcomes = planned.flatMap((one) => one.outcomes);
  await countDispatches(
    tx,
    orgId,
    outcomes.map((before) => ({ before })),
  );
  await raiseRevision(tx, orgId);
  await recordDeleted(
    tx,
    planned.map(({ post }) => post),
    app.clock.now(),
  );
  return deleted.flatMap(({ objectKeys }) => objectKeys);
}

// From an arrived upload to an asset: the upload is found, inspected, moved into place, and only then counts. Every step
// can be repeated, so the next request completes what a crash interrupted.
//
//   uploads/<key> → inspect → moved to <key> → thumbnail written → one commit: row ready, older video marked for deletion

import type { App } from '../app/app.js';
import type { Confirmation } from '../app/process-state.js';
import { AppError } from '../core/problems.js';
import { markChanged } from '../db/changes.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow } from '../db/tables.js';
import { removeObjects } from '../object-deletion/remove.js';
import { thumbnailKey, uploadKey } from '../object-store/object-keys.js';
import type { StoredObject } from '../object-store/object-store.js';
import { lockPosts } from '../posts/posts.js';
import { acceptUpload, countUploadedBytes, stateOf } from './accept-upload.js';
import { chargeInspection, inspectFile, uncountReader } from './inspect-file.js';
import { KINDS, MAX_SLIDES } from './limits.js';
import type { Verdict } from './media/tasks.js';
import { checkSlotAgain, resumeAfterFiles } from './missing.js';

/**
 * What an inspection costs.
 * - `charged`: it counts towards the organization's rate limit, and is refused if too many files wait.
 * - `prepaid`: the same, but the request has paid already, before the first byte.
 * - `free`: for background work and publishing, where no client could try again. Never refused, never charged.
 */
export type InspectionTerms = 'charged' | 'prepaid' | 'free';

/**
 * Concurrent calls share one inspection: it may mean reading a large file. Once the signal aborts, none begins; one that runs
 * continues, and keeps its position in the queue.
 */
export async function confirmUpload(
  app: App,
  asset: AssetRow,
  terms: InspectionTerms,
  signal?: AbortSignal,
): Promise<Confirmation> {
  const { inspections } = app.state;
  const key = asset.object_key;
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted();
    const other = inspections.get(key);
    if (!other) {
      const interruption = new AbortController();
      const result = confirm(app, asset, terms, interruption.signal).finally(() => inspections.delete(key));
      inspections.set(key, { result, interruption });
      return result;
    }
    const result = await other.result.catch((error: unknown) => {
      // What refuses another request must not refuse work that is never refused.
      const isRefusal = error instanceof AppError && (error.code === 'busy' || error.code === 'rate_limited');
      if (terms === 'free' && isRefusal) return null;
      throw error;
    });
    // An earlier check may have run before the file arrived; one that starts now has not.
    if (result !== null && (result !== 'missing' || !isFirst)) return result;
  }
}

async function confirm(
  app: App,
  asset: AssetRow,
  terms: InspectionTerms,
  interruption: AbortSignal,
): Promise<Confirmation> {
  const confirmation = await inspectUpload(app, asset, terms, interruption).catch(
    async (error): Promise<Confirmation> => {
      // Cancelling a grant removes its files, even during an inspection.
      if (!(await stateOf(app.db.read, asset).executeTakeFirst())) return 'void';
      throw error;
    },
  );
  if (confirmation !== 'void') return confirmation;
  // It arrived after its row was deleted. If its key is still marked, the worker removes it in time.
  const { org_id, object_key } = asset;
  const marked = await app.db.read
    .selectFrom('objects_to_delete')
    .select('object_key')
    .where(({ and }) => and({ org_id, object_key }))
    .executeTakeFirst();
  if (!marked) await removeObjects(app.store, object_key);
  return 'void';
}

/** A newer file may interrupt it, until the verdict is known and being saved. */
async function inspectUpload(
  app: App,
  asset: AssetRow,
  terms: InspectionTerms,
  interruption: AbortSignal,
): Promise<Confirmation> {
  // The caller's row may be outdated. A settled upload is not inspected again, whatever the store holds.
  const current = await stateOf(app.db.read, asset).executeTakeFirst();
  if (current?.state !== 'pending') return settledAs(current);

  // The file is already at its own key if a process crashed between the move and the commit: that file came first. This key
  // is checked last, so that a move between the two lookups hides nothing.
  const { object_key: key } = asset;
  const sent = await app.store.find(uploadKey(key));
  const upload = (await app.store.find(key)) ?? sent;
  // Counted and gone: a newer file is to replace it.
  const isCounted = asset.announced_length !== null || current.size === (upload?.size ?? null);
  if (!upload) {
    if (!isCounted) await countUploadedBytes(app, asset, null);
    return 'missing';
  }

  const overQuota =
    sizeFault(asset, upload) ?? (isCounted ? null : await countUploadedBytes(app, asset, upload.size));
  if (overQuota !== null) return interruption.aborted ? 'missing' : rejectUpload(app, asset, overQuota);

  let verdict: Verdict;
  try {
    if (terms === 'charged') await chargeInspection(app, asset);
    const ignoreQueueLimit = terms === 'free';
    verdict = await inspectFile(app, asset, upload, { signal: interruption, ignoreQueueLimit });
    interruption.throwIfAborted();
  } catch (error) {
    // Another file is about to replace this one.
    if (interruption.aborted) return 'missing';
    throw error;
  }
  if (!verdict.ok) return rejectUpload(app, asset, verdict.reason);

  const { found, thumbnail } = verdict;
  let settled: Awaited<ReturnType<typeof acceptUpload>>;
  try {
    if (upload.key !== key) await app.store.move(upload, key);
    if (thumbnail) await app.store.write(thumbnailKey(key), thumbnail);
    settled = await app.db.transact((tx) =>
      acceptUpload(app, tx, asset, upload.size, found, thumbnail !== null),
    );
  } catch (error) {
    // Its reader has ended well.
    await uncountReader(app, asset);
    throw error;
  }
  // A crash during the move may have left the file at both keys.
  if (sent && upload.key === key) await app.store.remove(sent.key);
  return typeof settled === 'object' ? rejectUpload(app, asset, settled.unwanted) : settled;
}

function settledAs(current: Pick<AssetRow, 'state' | 'reason'> | undefined): Confirmation {
  if (!current) return 'void';
  return current.state === 'rejected' ? { rejected: current.reason ?? '' } : 'ready';
}

/** What the signed URL could not enforce: S3 has no limit for uploads of unknown length. */
function sizeFault({ kind, announced_length }: AssetRow, { size }: StoredObject): string | null {
  const { maxLength, maxLengthInWords } = KINDS[kind];
  if (announced_length !== null && size !== announced_length)
    return `The file is ${size} bytes, but ${announced_length} were declared.`;
  return size > maxLength ? `The file is ${size} bytes; a ${kind} can be up to ${maxLengthInWords}.` : null;
}

export async function rejectUpload(app: App, asset: AssetRow, reason: string): Promise<Confirmation> {
  const isOurs = await app.db.transact(async (tx) => {
    // Posts are locked before their files: a claim then sees the file pending, and its waiting ends here, or sees it rejected.
    const [post] = asset.is_fetched ? await lockPosts(tx, { orgId: asset.org_id }, [asset.post_id]) : [];
    const { numUpdatedRows } = await tx
      .updateTable('assets')
      .set({ state: 'rejected', reason, settled_at: app.clock.now() })
      .where(isRow(asset))
      .where('state', '=', 'pending')
      .executeTakeFirst();
    // Their objects are already gone; repeated bad uploads must not fill the table. Fetched files are never forgotten: the post
    // would look whole. They count among the slides instead.
    const { org_id, post_id } = asset;
    const old = tx
      .selectFrom('assets')
      .select('id')
      .where(({ and }) => and({ org_id, post_id, state: 'rejected', is_fetched: 0 }))
      .orderBy('settled_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1_000)
      .offset(MAX_SLIDES);
    await tx.deleteFrom('assets').where('org_id', '=', org_id).where('id', 'in', old).execute();
    if (post) {
      await resumeAfterFiles(app, tx, post);
      await checkSlotAgain(app, tx, post);
    }
    markChanged(tx, asset.org_id, { posts: [asset.post_id] });
    return numUpdatedRows > 0n;
  });
  if (!isOurs) {
    // Another process settled it first, maybe with another file: keep what it moved into place.
    await app.store.remove(uploadKey(asset.object_key));
    return settledAs(await stateOf(app.db.read, asset).executeTakeFirst());
  }
  await removeObjects(app.store, asset.object_key);
  return { rejected: reason };
}

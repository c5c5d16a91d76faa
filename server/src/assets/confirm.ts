// From an arrived upload to an asset: the upload is found, inspected, moved into place, and only then counts. Every step
// can be repeated, so the next request completes what a crash interrupted.
//
//   uploads/<key> → inspect → moved to <key> → thumbnail written → one commit: row ready, older video marked for deletion

import { AppError } from '../core/problems.js';
import { markChanged } from '../db/changes.js';
import type { Reader, Tx } from '../db/database.js';
import type { AssetRow } from '../db/tables.js';
import { thumbnailKey, uploadKey } from '../object-store/object-keys.js';
import type { StoredObject } from '../object-store/object-store.js';
import { lockPosts } from '../posts/posts.js';
import type { App } from '../request/app.js';
import { removeLateUpload, removeObjects } from '../request/garbage.js';
import type { Confirmation } from '../request/process-state.js';
import { inspectFile, type Purpose, uncountReader } from './inspect-file.js';
import { KINDS, MAX_SLIDES } from './limits.js';
import { checkSlotAgain, endWaiting } from './missing.js';
import { settle, stateOf } from './settle.js';
import { countUploadedBytes, uncountUploadedBytes } from './upload-accounting.js';

/**
 * Concurrent calls share one inspection: it may mean reading a large file. Once the signal aborts, none begins; one that runs
 * continues, and keeps its position in the queue.
 */
export async function confirmUpload(
  app: App,
  asset: AssetRow,
  purpose: Purpose,
  signal?: AbortSignal,
): Promise<Confirmation> {
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted();
    const other = app.inspections.get(asset.object_key);
    if (!other) return startInspection(app, asset, purpose);
    const result = await other.result.catch((error) => {
      // What refuses another request must not refuse work that is never refused.
      if (purpose === 'worker' && isRefusal(error)) return null;
      throw error;
    });
    // An earlier check may have run before the file arrived; one that starts now has not.
    if (result !== null && (result !== 'missing' || !isFirst)) return result;
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'busy' || error.code === 'rate_limited');

/** While the upload is looked for and inspected it can be interrupted, by a newer file: until it settles. */
interface Inspection {
  signal: AbortSignal;
  onSettling(): void;
}

function startInspection(app: App, asset: AssetRow, purpose: Purpose): Promise<Confirmation> {
  const interruption = new AbortController();
  let isSettling = false;
  const onSettling = () => {
    isSettling = true;
  };
  const result = confirm(app, asset, purpose, { signal: interruption.signal, onSettling }).finally(() =>
    app.inspections.delete(asset.object_key),
  );
  const interrupt = () => {
    if (!isSettling) interruption.abort();
  };
  app.inspections.set(asset.object_key, { result, interrupt });
  return result;
}

async function confirm(
  app: App,
  asset: AssetRow,
  purpose: Purpose,
  inspection: Inspection,
): Promise<Confirmation> {
  const confirmation = await inspectUpload(app, asset, purpose, inspection).catch(
    async (error): Promise<Confirmation> => {
      // Another file is about to replace this one.
      if (inspection.signal.aborted) return 'missing';
      // Cancelling a grant removes its files, even during an inspection.
      if (!(await stateNow(app.db.read, asset))) return 'void';
      throw error;
    },
  );
  if (confirmation === 'void') await removeLateUpload(app, asset.object_key);
  return confirmation;
}

async function inspectUpload(
  app: App,
  asset: AssetRow,
  purpose: Purpose,
  { signal, onSettling }: Inspection,
): Promise<Confirmation> {
  const { object_key: key } = asset;
  // The caller's row may be outdated. A settled upload is not inspected again, whatever the store holds.
  const current = await stateNow(app.db.read, asset);
  if (current?.state !== 'pending') return settledAs(current);
  // The file is already at its own key if a process crashed between the move and the commit: that file came first. This key
  // is checked last, so that a move between the two lookups hides nothing.
  const sent = await app.store.find(uploadKey(key));
  const upload = (await app.store.find(key)) ?? sent;
  const isUnannounced = asset.announced_length === null;
  if (!upload) {
    if (isUnannounced && current.size !== null) await uncountUploadedBytes(app, asset);
    return 'missing';
  }
  const mustCount = isUnannounced && current.size !== upload.size;
  const fault =
    sizeFault(asset, upload) ?? (mustCount ? await countUploadedBytes(app, asset, upload.size) : null);
  const verdict =
    fault === null
      ? await inspectFile(app, asset, upload, purpose, signal)
      : { ok: false as const, reason: fault };
  signal.throwIfAborted();
  onSettling();
  if (!verdict.ok) return rejectUpload(app, asset, verdict.reason);
  let settled: Awaited<ReturnType<typeof settle>>;
  try {
    if (upload.key !== key) await app.store.move(upload, key);
    if (verdict.thumbnail) await app.store.write(thumbnailKey(key), verdict.thumbnail);
    settled = await app.db.transact((tx) =>
      settle(app, tx, asset, upload.size, verdict.found, verdict.thumbnail !== null),
    );
  } catch (error) {
    // Its reader has ended well.
    await uncountReader(app, asset);
    throw error;
  }
  // A crash during the move may have left the file at both keys.
  if (sent && upload.key === key) await app.store.remove(sent.key);
  if (settled === 'ready' || settled === 'void') return settled;
  return rejectUpload(app, asset, settled.unwanted);
}

type State = Pick<AssetRow, 'state' | 'reason' | 'size'> | undefined;

const stateNow = (read: Reader, asset: AssetRow): Promise<State> => stateOf(read, asset).executeTakeFirst();

function settledAs(current: State): Confirmation {
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
      .where('org_id', '=', asset.org_id)
      .where('id', '=', asset.id)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    await forgetOldRejections(tx, asset);
    if (post) {
      await endWaiting(app, tx, post);
      await checkSlotAgain(app, tx, post);
    }
    markChanged(tx, asset.org_id, { posts: [asset.post_id] });
    return numUpdatedRows > 0n;
  });
  if (!isOurs) {
    // Another process settled it first, maybe with another file: keep what it moved into place.
    await app.store.remove(uploadKey(asset.object_key));
    return settledAs(await stateNow(app.db.read, asset));
  }
  await removeObjects(app.store, asset.object_key);
  return { rejected: reason };
}

/**
 * Their objects are already gone; repeated bad uploads must not fill the table. Fetched files are never forgotten: the post would
 * look whole. They count among the slides instead.
 */
async function forgetOldRejections(tx: Tx, { org_id, post_id }: AssetRow): Promise<void> {
  const old = tx
    .selectFrom('assets')
    .select('id')
    .where('org_id', '=', org_id)
    .where('post_id', '=', post_id)
    .where('state', '=', 'rejected')
    .where('is_fetched', '=', 0)
    .orderBy('settled_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(MAX_SLIDES);
  await tx.deleteFrom('assets').where('org_id', '=', org_id).where('id', 'in', old).execute();
}

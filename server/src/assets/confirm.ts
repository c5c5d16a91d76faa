// From "somebody has sent something" to an asset: the upload is found, looked at, moved into its place, and only then
// counts. Every step can be done again, so a crash anywhere is mended by the next who asks.
//
//   uploads/<key>  →  inspect  →  moved to <key>  →  thumbnail written  →  row ready, an older video condemned (one commit)

import { buffer } from 'node:stream/consumers';
import type { App, TxApp } from '../api/app.js';
import { noteChange } from '../db/changes.js';
import type { Reader, Tx } from '../db/database.js';
import type { AssetRow } from '../db/tables.js';
import { markForDeletion, removeLatecomer, removeObjects } from '../files/garbage.js';
import { thumbnailKey, uploadKey } from '../files/keys.js';
import type { StoredObject } from '../files/object-store.js';
import { unavailable } from '../ground/problems.js';
import { lockEditablePost, touchPost } from '../posts/posts.js';
import { KINDS, MAX_SLIDES } from './limits.js';
import { inspect } from './media/inspect.js';
import type { FileBytes, Found, Verdict } from './media/verdict.js';

/** `missing`: nothing has arrived. `void`: the grant was taken back meanwhile. */
export type Confirmation = 'missing' | 'ready' | 'void' | { rejected: string };

/** A file whose look ends badly each time, though the store answers, is refused after so many. */
const MOST_LOOKS = 3;

/** Requests at the same time share one inspection: it may mean reading a large file. */
const newInspections = () => new Map<string, Promise<Confirmation>>();

export async function confirmUpload(app: App, asset: AssetRow): Promise<Confirmation> {
  const running = app.perProcess(newInspections);
  const earlier = await running.get(asset.object_key);
  // Who looked before may have looked too early; who looks since then has not.
  if (earlier !== undefined && earlier !== 'missing') return earlier;
  return running.get(asset.object_key) ?? startInspection(app, asset);
}

function startInspection(app: App, asset: AssetRow): Promise<Confirmation> {
  const running = app.perProcess(newInspections);
  const confirming = confirm(app, asset).finally(() => running.delete(asset.object_key));
  running.set(asset.object_key, confirming);
  return confirming;
}

async function confirm(app: App, asset: AssetRow): Promise<Confirmation> {
  const confirmation = await inspectUpload(app, asset).catch(async (error): Promise<Confirmation> => {
    // Whoever takes a grant back removes its files, also from under our hands.
    if (!(await stateNow(app.db.read, asset))) return 'void';
    throw error;
  });
  if (confirmation === 'void') await removeLatecomer(app, asset.object_key);
  return confirmation;
}

async function inspectUpload(app: App, asset: AssetRow): Promise<Confirmation> {
  const { object_key: key } = asset;
  // Who asks may have read the row before another was done. What is settled is not looked at again, whatever lies there.
  const current = await stateNow(app.db.read, asset);
  if (current?.state !== 'pending') return settledAs(current);
  // At its own key already if somebody died between moving and committing: what lies there came first. Asked for last, so
  // that a move between the two questions hides nothing.
  const sent = await app.store.find(uploadKey(key));
  const upload = (await app.store.find(key)) ?? sent;
  if (!upload) return 'missing';
  const fault = sizeFault(asset, upload);
  const verdict = fault === null ? await lookInto(app, asset, upload) : { ok: false as const, reason: fault };
  if (!verdict.ok) return reject(app, asset, verdict.reason);
  if (upload.key !== key) await app.store.move(upload, key);
  if (verdict.thumbnail) await app.store.write(thumbnailKey(key), verdict.thumbnail);
  const settled = await app.db.transact((tx) =>
    settle(app, tx, asset, upload.size, verdict.found, verdict.thumbnail !== null),
  );
  // A crash in the middle of the move left it at both keys.
  if (sent && upload.key === key) await app.store.remove(sent.key);
  if (settled === 'ready' || settled === 'void') return settled;
  return reject(app, asset, UNWANTED[settled]);
}

const UNWANTED = {
  full: `The post has ${MAX_SLIDES} slides already. Remove one and upload this one again.`,
  booked:
    'The post was scheduled before this file arrived, and changing the files of a scheduled post needs the scope posts:publish. Unschedule it, or upload with a key that has the scope.',
};

type State = Pick<AssetRow, 'state' | 'reason'> | undefined;

const stateOf = (read: Reader, { org_id, id }: AssetRow) =>
  read.selectFrom('assets').select(['state', 'reason']).where('org_id', '=', org_id).where('id', '=', id);

const stateNow = (read: Reader, asset: AssetRow): Promise<State> => stateOf(read, asset).executeTakeFirst();

function settledAs(current: State): Confirmation {
  if (!current) return 'void';
  return current.state === 'rejected' ? { rejected: current.reason ?? '' } : 'ready';
}

/** What the address could not enforce: S3 has no limit for uploads of unknown length. */
function sizeFault({ kind, announced_length }: AssetRow, { size }: StoredObject): string | null {
  const { maxLength, maxLengthInWords } = KINDS[kind];
  if (announced_length !== null && size !== announced_length)
    return `The file has ${size} bytes, but ${announced_length} were announced.`;
  return size > maxLength
    ? `The file has ${size} bytes; a ${kind} may have at most ${maxLengthInWords}.`
    : null;
}

/** Fails if the file could not be looked into; after some times that is the file's own fault. */
async function lookInto(app: App, asset: AssetRow, { key, size, version }: StoredObject): Promise<Verdict> {
  let isStoreAway = false;
  const file: FileBytes = {
    size,
    read: async (start, end) => {
      try {
        return await buffer(await app.store.read(key, { start, end: Math.min(end, size), version }));
      } catch (error) {
        isStoreAway = true;
        throw error;
      }
    },
  };
  try {
    return await inspect(file, asset.content_type);
  } catch (error) {
    if (!isStoreAway && (await countLook(app, asset)) >= MOST_LOOKS)
      return { ok: false, reason: 'The file could not be looked into. Save it again and upload that.' };
    throw unavailable('The file has arrived but could not be looked into yet. Ask again in a moment.', error);
  }
}

async function countLook(app: App, { org_id, id }: AssetRow): Promise<number> {
  const row = await app.db.transact((tx) =>
    tx
      .updateTable('assets')
      .set((eb) => ({ looks: eb('looks', '+', 1) }))
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .returning('looks')
      .executeTakeFirst(),
  );
  return row?.looks ?? 0;
}

async function reject(app: App, asset: AssetRow, reason: string): Promise<Confirmation> {
  const isOurs = await app.db.transact(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('assets')
      .set({ state: 'rejected', reason, settled_at: app.clock.now() })
      .where('org_id', '=', asset.org_id)
      .where('id', '=', asset.id)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    await forgetOldRejections(tx, asset);
    noteChange(tx, asset.org_id, { posts: [asset.post_id] });
    return numUpdatedRows > 0n;
  });
  if (!isOurs) {
    // Another process was faster, with another file maybe: what it put in its place stays.
    await app.store.remove(uploadKey(asset.object_key));
    return settledAs(await stateNow(app.db.read, asset));
  }
  await removeObjects(app.store, asset.object_key);
  return { rejected: reason };
}

/** Their objects are gone already; who uploads rubbish all day must not fill the table with it. */
async function forgetOldRejections(tx: Tx, { org_id, post_id }: AssetRow): Promise<void> {
  const old = tx
    .selectFrom('assets')
    .select('id')
    .where('org_id', '=', org_id)
    .where('post_id', '=', post_id)
    .where('state', '=', 'rejected')
    .orderBy('settled_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(MAX_SLIDES);
  await tx.deleteFrom('assets').where('org_id', '=', org_id).where('id', 'in', old).execute();
}

/** The commit that makes it count. */
async function settle(
  app: TxApp,
  tx: Tx,
  asset: AssetRow,
  size: number,
  { width, height, durationMs, codec }: Found,
  hasThumbnail: boolean,
): Promise<'ready' | 'void' | 'full' | 'booked'> {
  // Whoever takes a grant back holds one of these locks. Nobody is asked for a scope here: a post may be booked while its
  // files are on their way, which preflight and the list of its files tell, and what was granted to the draft is part of it.
  const post = await lockEditablePost(tx, { orgId: asset.org_id }, asset.post_id);
  const current = await stateOf(tx, asset).forUpdate().executeTakeFirst();
  if (current?.state === 'ready') return 'ready';
  if (current?.state !== 'pending') return 'void';
  if (post.status === 'scheduled' && asset.may_change_scheduled === 0) return 'booked';
  if (asset.kind === 'slide' && (await countReady(tx, asset)) >= MAX_SLIDES) return 'full';
  const now = app.clock.now();
  if (asset.kind === 'video') {
    const replaced = await tx
      .deleteFrom('assets')
      .where('org_id', '=', asset.org_id)
      .where('post_id', '=', asset.post_id)
      .where('state', '=', 'ready')
      .returning('object_key')
      .execute();
    await markForDeletion(
      tx,
      asset.org_id,
      replaced.map(({ object_key }) => object_key),
      now + app.config.garbageGraceMs,
    );
  }
  await tx
    .updateTable('assets')
    .set({
      state: 'ready',
      size,
      width,
      height,
      duration_ms: durationMs,
      codec,
      has_thumbnail: hasThumbnail ? 1 : 0,
      settled_at: now,
    })
    .where('org_id', '=', asset.org_id)
    .where('id', '=', asset.id)
    .where('state', '=', 'pending')
    .execute();
  await touchPost(app, tx, post);
  return 'ready';
}

/** One whose address had ended may come late, when its place was given to another. */
async function countReady(tx: Tx, { org_id, post_id }: AssetRow): Promise<number> {
  const { n } = await tx
    .selectFrom('assets')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', org_id)
    .where('post_id', '=', post_id)
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow();
  return n;
}

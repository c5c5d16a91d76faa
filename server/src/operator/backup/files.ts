// The files that rows refer to, and how they are copied and compared.
import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { thumbnailKey, uploadKey } from '../../object-store/object-keys.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { OperatorError } from './operator-error.js';
import { rowOf } from './rows.js';

export interface CopiedFile {
  key: string;
  size: number;
  sha256: string;
}

/** How many files are copied at the same time. */
export const MAX_CONCURRENT = 8;

/** The keys that a row of `assets` refers to. Those of an upload that is not inspected yet may be missing. */
export function filesOfAsset(line: string): { key: string; mayBeMissing: boolean }[] {
  const { state, object_key, has_thumbnail } = rowOf(line);
  const key = String(object_key);
  if (state === 'ready')
    return [key, ...(has_thumbnail === 1 ? [thumbnailKey(key)] : [])].map((one) => ({
      key: one,
      mayBeMissing: false,
    }));
  // In this order: while it is inspected, a file is moved from the first to the second.
  if (state === 'pending') return [uploadKey(key), key].map((one) => ({ key: one, mayBeMissing: true }));
  return [];
}

/** Passes bytes on, and knows their length and hash afterwards. */
export function hashingStream() {
  const hash = createHash('sha256');
  let size = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { through, measured: () => ({ size, sha256: hash.digest('hex') }) };
}

export async function measure(body: Readable): Promise<Omit<CopiedFile, 'key'>> {
  const { through, measured } = hashingStream();
  await pipeline(body, through, async (chunks) => {
    for await (const _ of chunks);
  });
  return measured();
}

/** How often the same bytes are read if a connection breaks in the middle, and the first pause; each next one is twice as long. */
const MAX_READS = 4;
const PAUSE_MS = 200;

/** Reads an object while others may remove it. Null if it is gone, or never was there. `take` starts anew if a read breaks. */
export async function readIfThere(
  store: ObjectStore,
  key: string,
  take: (body: Readable) => Promise<Omit<CopiedFile, 'key'>>,
): Promise<CopiedFile | null> {
  let version: string | undefined;
  for (let reads = 1; ; reads++) {
    const found = await store.find(key);
    if (!found) return null;
    if (found.version !== version) reads = 1;
    version = found.version;
    try {
      const taken = await take(await store.read(key, { start: 0, version: found.version }));
      if (taken.size === found.size) return { key, ...taken };
      throw new Error(`${key} has ${taken.size} bytes, but the store says ${found.size}`);
    } catch (error) {
      // A client may send its upload again, and a worker may remove the object.
      if ((await store.find(key))?.version !== version) continue;
      if (reads === MAX_READS) throw error;
      await delay(PAUSE_MS * 2 ** (reads - 1));
    }
  }
}

/** Puts a file into a store that may have it already, from an earlier run, and reads it back. */
export async function placeFile(
  store: ObjectStore,
  file: CopiedFile,
  open: () => Promise<Readable>,
): Promise<void> {
  if (await holds(store, file)) return;
  await store.storeDurably(file.key, await open());
  if (!(await holds(store, file)))
    throw new OperatorError(
      `The file store has other bytes than expected at ${file.key}. Empty the store and begin again.`,
    );
}

async function holds(store: ObjectStore, { key, size, sha256 }: CopiedFile): Promise<boolean> {
  if ((await store.find(key))?.size !== size) return false;
  return (await readIfThere(store, key, measure))?.sha256 === sha256;
}

/** Runs work on pages of items, a few at the same time; the first failure ends it. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < items.length; i += MAX_CONCURRENT)
    await Promise.all(items.slice(i, i + MAX_CONCURRENT).map(work));
}

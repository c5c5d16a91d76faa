// Parts as files of their own, below `parts/<key>/`. Joining copies them into a temporary file, which is flushed and gets the object's
// name before the parts are removed: at every moment either all of them exist, or the object does.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { partKey } from '../object-keys.js';
import type { PartStore } from '../object-store.js';
import { type createFileOperations, KeyTaken, nullIfMissing } from './file-operations.js';

const READ_BUFFER = 1024 * 1024;

interface Disk {
  root: string;
  files: ReturnType<typeof createFileOperations>;
  fileOf(key: string): string;
  /** Stores an object durably. Throws KeyTaken if there is one. */
  store(key: string, body: Readable): Promise<unknown>;
  filesBelow(folder: string): AsyncIterable<string>;
}

export function createDiskParts({ root, files, fileOf, store, filesBelow }: Disk): PartStore {
  const folder = join(root, 'parts');
  const partFile = (key: string, number: number) => fileOf(partKey(key, number));

  async function abandon(key: string): Promise<void> {
    const below = dirname(partFile(key, 1));
    for (const name of (await readdir(below).catch(nullIfMissing)) ?? [])
      await files.remove(join(below, name));
    await files.removeEmpty(below, root);
  }

  async function* bytesOf(key: string, lengths: readonly number[]): AsyncIterable<Buffer> {
    for (const [i, length] of lengths.entries()) {
      let read = 0;
      for await (const chunk of createReadStream(partFile(key, i + 1), { highWaterMark: READ_BUFFER })) {
        read += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
      if (read !== length) throw new Error(`part ${i + 1} of ${key} has ${read} bytes, not ${length}`);
    }
  }

  return {
    begin: async (key) => ({ key, id: '' }),

    async arrived({ key }) {
      const lengths = new Map<number, number>();
      const below = dirname(partFile(key, 1));
      for (const name of (await readdir(below).catch(nullIfMissing)) ?? []) {
        const part = await files.find(join(below, name));
        if (part?.isFile()) lengths.set(Number(name), part.size);
      }
      return lengths;
    },

    async join({ key }, lengths) {
      const body = Readable.from(bytesOf(key, lengths), { objectMode: true, highWaterMark: 2 });
      await store(key, body).catch(async (error) => {
        if (error instanceof KeyTaken) return;
        // Another process has joined the parts, and removed them.
        if (error.code === 'ENOENT' && (await files.find(fileOf(key)))) return;
        throw error;
      });
      await abandon(key);
    },

    abandon,

    async *unfinished() {
      for await (const file of filesBelow(folder)) {
        const found = await files.find(file);
        if (found)
          yield { key: dirname(relative(folder, file)).split(sep).join('/'), storedAt: found.mtimeMs };
      }
    },
  };
}

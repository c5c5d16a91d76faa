// Names of files and folders: what the disk store does besides reading and writing bytes.
import {
  close,
  fsync,
  linkSync,
  mkdirSync,
  open as openFile,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { link, mkdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { createAdaptiveIo } from './adaptive-io.js';

/** The key of an upload already exists. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

const FOLDER = { recursive: true, mode: 0o700 } as const;
const flush = promisify(fsync);
const openInPool = promisify(openFile) as (file: string, flags: string, mode?: number) => Promise<number>;

export function createFileOperations() {
  const run = createAdaptiveIo();

  const open = (file: string, flags: 'r' | 'wx') =>
    run(
      () => openSync(file, flags, 0o600),
      () => openInPool(file, flags, 0o600),
    );

  /** Null if there is no such file. */
  const find = (file: string) =>
    run(
      () => statSync(file),
      () => stat(file),
    ).catch(nullIfMissing);

  /** False if there was no such file. */
  const remove = (file: string) =>
    run(
      () => unlinkSync(file),
      () => unlink(file),
    ).then(() => true, nullIfMissing);

  async function flushFolder(folder: string): Promise<void> {
    const handle = await open(folder, 'r');
    try {
      await flush(handle);
    } finally {
      // Nothing depends on the end of it.
      close(handle, () => {});
    }
  }

  /** Returns the folders that have to be flushed for the new ones to be durable: their parents. */
  async function makeFolder(folder: string): Promise<string[]> {
    const first = await run(
      () => mkdirSync(folder, FOLDER),
      () => mkdir(folder, FOLDER),
    );
    const parents: string[] = [];
    if (first === undefined) return parents;
    for (let made = folder; made.length >= first.length; made = dirname(made)) parents.push(dirname(made));
    return parents;
  }

  /** Returns the folders to flush. */
  async function nameIn(file: string, name: () => Promise<void>): Promise<string[]> {
    const changed = [dirname(file)];
    for (let attempt = 1; ; attempt++) {
      try {
        changed.push(...(await makeFolder(dirname(file))));
        await name();
        return changed;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') throw new KeyTaken(`an object already exists at ${file}`);
        // Another operation removed the folder together with its last file.
        if (code !== 'ENOENT' || attempt === 5) throw error;
      }
    }
  }

  /** A link fails if the name is taken; a rename would silently replace the file. */
  const linkTo = (from: string, file: string) =>
    nameIn(file, () =>
      run(
        () => linkSync(from, file),
        () => link(from, file),
      ),
    );

  // If a folder is gone, the file was removed right after it was named, and nothing needs flushing.
  const flushAll = (folders: string[]) =>
    Promise.all(folders.map((folder) => flushFolder(folder).catch(nullIfMissing)));

  return {
    open,
    find,
    remove,

    /** The file is there, but after a power cut its name may be gone. */
    async giveName(from: string, file: string): Promise<void> {
      await linkTo(from, file);
    },

    async giveDurableName(from: string, file: string): Promise<void> {
      await flushAll(await linkTo(from, file));
    },

    /** Replaces a file that has the name. */
    async replaceDurably(from: string, file: string): Promise<void> {
      const changed = await nameIn(file, () =>
        run(
          () => renameSync(from, file),
          () => rename(from, file),
        ),
      );
      await flushAll(changed);
    },

    async makeDurableFolder(folder: string): Promise<void> {
      await Promise.all((await makeFolder(folder)).map(flushFolder));
    },

    async removeDurably(file: string): Promise<void> {
      if (await remove(file)) await flushFolder(dirname(file)).catch(nullIfMissing);
    },

    /** Removes this folder and its parents below the root, up to the first that is in use. */
    async removeEmpty(folder: string, root: string): Promise<void> {
      for (let empty = folder; empty.length > root.length; empty = dirname(empty)) {
        const isRemoved = await run(
          () => rmdirSync(empty),
          () => rmdir(empty),
        ).then(
          () => true,
          () => false,
        );
        if (!isRemoved) return;
      }
    },
  };
}

export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

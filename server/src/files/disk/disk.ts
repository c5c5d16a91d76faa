// Objects as files below one folder. An upload is written beside them, flushed, and only then linked to its name, so that
// an object is there whole or not at all, also after a power cut.
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, opendir, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '../../config/config.js';
import { checkKey, type ObjectStore, type StoredObject } from '../object-store.js';
import { type AddressSigner, createAddressSigner } from './signed-address.js';
import { createSmallFiles } from './small-files.js';

const DRAFTS = 'drafts';
const WRITE_BUFFER = 1024 * 1024;

export interface DiskStore extends ObjectStore {
  readonly kind: 'disk';
  readonly addresses: AddressSigner;
  /** Stores what a signed PUT brings. Fails with the stream, and if the key is taken; nothing is left then. Returns the version. */
  receive(key: string, body: Readable): Promise<string>;
}

/** The key of an upload exists already. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

export interface DiskOptions {
  root: string;
  signingKey: Buffer;
  /** Where our own server is reached from outside. */
  publicUrl(): string;
}

export async function openDiskStore({ root, signingKey, publicUrl }: DiskOptions): Promise<DiskStore> {
  const drafts = join(root, DRAFTS);
  await makeFolder(drafts);
  const addresses = createAddressSigner(signingKey);
  const smallFiles = createSmallFiles(drafts);
  const fileOf = (key: string) => join(root, ...checkKey(key).split('/'));

  /** Writes a draft to the disk for good, then gives it its name. */
  async function store(key: string, body: Readable): Promise<string> {
    const draft = join(drafts, randomBytes(12).toString('hex'));
    try {
      await writeFlushed(draft, body);
      await giveName(draft, fileOf(key));
      return versionOf(await stat(draft));
    } finally {
      await rm(draft, { force: true });
    }
  }

  return {
    kind: 'disk',
    check: () => refuseWithoutLinks(drafts),
    addresses,
    signUpload: (grant) => publicUrl() + addresses.upload(grant),
    signDownload: (key, expiresAt) => publicUrl() + addresses.download(key, expiresAt),
    receive: store,
    async write(key, bytes) {
      await store(key, Readable.from([bytes])).catch((error) => {
        if (!(error instanceof KeyTaken)) throw error;
      });
    },
    load: (key) => smallFiles.load(fileOf(key)),
    replace: (key, bytes) => smallFiles.replace(fileOf(key), bytes),
    async find(key) {
      return toObject(key, await stat(fileOf(key)).catch(nothingThere));
    },
    async read(key, { start = 0, end } = { start: 0 }) {
      const file = await open(fileOf(key));
      if (end !== undefined && end <= start) {
        await file.close();
        return Readable.from([]);
      }
      return file.createReadStream({
        start,
        highWaterMark: WRITE_BUFFER,
        ...(end === undefined ? {} : { end: end - 1 }),
      });
    },
    async move({ key, version }, to) {
      const [from, target] = [fileOf(key), fileOf(to)];
      await giveName(from, target).catch(async (error) => {
        // Moved before, by somebody who died at once or who was faster.
        const there = await stat(target).catch(nothingThere);
        if (there && versionOf(there) === version) return;
        if (there) throw new Error(`${key} cannot be moved: another object lies at ${to}`);
        if (nothingThere(error) === null) throw new Error(`${key} cannot be moved: it is not there`);
      });
      await unlink(from).catch(nothingThere);
      await removeEmpty(dirname(from), root);
    },
    async remove(key) {
      const file = fileOf(key);
      const removed = await unlink(file).then(() => true, nothingThere);
      if (removed) await flushFolder(dirname(file)).catch(nothingThere);
      await removeEmpty(dirname(file), root);
    },
    async *list() {
      for await (const file of filesBelow(root, drafts)) {
        const key = relative(root, file).split(sep).join('/');
        const object = toObject(key, await stat(file).catch(nothingThere));
        if (object) yield object;
      }
    },
    async removeBroken(before) {
      for await (const file of filesBelow(drafts)) {
        const found = await stat(file).catch(nothingThere);
        if (found && found.mtimeMs < before) await rm(file, { force: true });
      }
    },
  };
}

async function refuseWithoutLinks(drafts: string): Promise<void> {
  const [file, name] = [1, 2].map(() => join(drafts, randomBytes(12).toString('hex'))) as [string, string];
  try {
    await writeFile(file, '');
    await link(file, name);
  } catch (error) {
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EINVAL)$/.test((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
    throw new ConfigError([
      'DATA_DIR lies on a file system without hard links, which files need. Choose another place, or a bucket (S3_BUCKET).',
    ]);
  } finally {
    await Promise.all([rm(file, { force: true }), rm(name, { force: true })]);
  }
}

const toObject = (
  key: string,
  found: { size: number; mtimeMs: number; ino: number; isFile(): boolean } | null,
): StoredObject | null =>
  found?.isFile() ? { key, size: found.size, storedAt: found.mtimeMs, version: versionOf(found) } : null;

/** A file keeps its inode under every name it is given. */
const versionOf = ({ ino }: { ino: number }): string => String(ino);

/** `flush`: an fsync before the file is closed. */
async function writeFlushed(file: string, body: Readable): Promise<void> {
  // It may fail while the file is being opened; the pipeline hears of that afterwards.
  body.on('error', () => {});
  // Opened first: a stream that opens it itself may do so after a failure, when the draft is removed already.
  const draft = await open(file, 'wx', 0o600);
  await pipeline(body, draft.createWriteStream({ highWaterMark: WRITE_BUFFER, flush: true }));
}

/** A link fails if the name is taken; a rename would silently replace what is there. */
async function giveName(from: string, file: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolder(dirname(file));
      await link(from, file);
      break;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new KeyTaken(`there is an object at ${file}`);
      // Somebody removed the last file of the folder, and with it the folder.
      if (code !== 'ENOENT' || attempt === 5) throw error;
    }
  }
  // No folder any more: the file was removed as soon as it was there, and nothing is to be kept.
  await flushFolder(dirname(file)).catch(nothingThere);
}

/** A new folder is on disk only when the folder above it says so. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await flushFolder(dirname(made));
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let empty = folder; empty.length > root.length; empty = dirname(empty))
    if (
      !(await rmdir(empty).then(
        () => true,
        () => false,
      ))
    )
      return;
}

async function* filesBelow(folder: string, except?: string): AsyncIterable<string> {
  const entries = await opendir(folder).catch(nothingThere);
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (path === except) continue;
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

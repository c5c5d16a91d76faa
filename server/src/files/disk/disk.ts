// Objects as files below one folder. An upload is written to a temporary file, flushed, and only then linked to its name,
// so that an object is complete or absent, even after a power cut.
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
  /** Stores the body of a signed PUT, returns the version. Leaves nothing behind if the stream fails or the key is taken. */
  receive(key: string, body: Readable): Promise<string>;
}

/** The key of an upload already exists. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

export interface DiskOptions {
  root: string;
  signingKey: Buffer;
  /** Our server's public URL. */
  publicUrl(): string;
}

export async function openDiskStore({ root, signingKey, publicUrl }: DiskOptions): Promise<DiskStore> {
  const drafts = join(root, DRAFTS);
  await makeFolder(drafts);
  const addresses = createAddressSigner(signingKey);
  const smallFiles = createSmallFiles(drafts);
  const fileOf = (key: string) => join(root, ...checkKey(key).split('/'));

  /** Writes a draft durably, then links it to its name. */
  async function store(key: string, body: Readable): Promise<string> {
    const draft = join(drafts, randomBytes(12).toString('hex'));
    try {
      await writeFlushed(draft, body);
      const [version] = await Promise.all([stat(draft).then(versionOf), giveName(draft, fileOf(key))]);
      return version;
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
        // Already moved: by a process that crashed right after, or by a concurrent one.
        const there = await stat(target).catch(nothingThere);
        if (there && versionOf(there) === version) return;
        if (there) throw new Error(`${key} cannot be moved: another object exists at ${to}`);
        if (nothingThere(error) === null) throw new Error(`${key} cannot be moved: it does not exist`);
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
      'DATA_DIR is on a file system without hard links, which the file store needs. Choose another folder, or a bucket (S3_BUCKET).',
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

/** A file keeps its inode under every name. */
const versionOf = ({ ino }: { ino: number }): string => String(ino);

/** `flush`: an fsync before the file is closed. */
async function writeFlushed(file: string, body: Readable): Promise<void> {
  // The body may fail while the file is being opened; the pipeline reports that afterwards.
  body.on('error', () => {});
  // Opened first: a stream that opens the file itself may do so after a failure, when the draft is already removed.
  const draft = await open(file, 'wx', 0o600);
  await pipeline(body, draft.createWriteStream({ highWaterMark: WRITE_BUFFER, flush: true }));
}

/** A link fails if the name is taken; a rename would silently replace the file. */
async function giveName(from: string, file: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolder(dirname(file));
      await link(from, file);
      break;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new KeyTaken(`an object already exists at ${file}`);
      // Another operation removed the folder together with its last file.
      if (code !== 'ENOENT' || attempt === 5) throw error;
    }
  }
  // If the folder is gone, the file was removed right after it was linked, and nothing needs flushing.
  await flushFolder(dirname(file)).catch(nothingThere);
}

/** A new folder is durable only after its parent is flushed. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const parents: string[] = [];
  for (let made = folder; made.length >= first.length; made = dirname(made)) parents.push(dirname(made));
  await Promise.all(parents.map(flushFolder));
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    // Closing takes a turn of the thread pool more, and nothing depends on it.
    void handle.close().catch(() => {});
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

// Objects as files below one folder. An upload is written to a temporary file, flushed, and only then linked to its name,
// so that an object is complete or absent, even after a power cut.
import { randomBytes } from 'node:crypto';
import { close, createReadStream, createWriteStream, open, read } from 'node:fs';
import { link, opendir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '../../config/config.js';
import { createFairQueue } from '../../core/concurrency.js';
import { isDiskFull } from '../../core/disk-space.js';
import { keyOfPart } from '../object-keys.js';
import { type ObjectStore, type StoredObject, validateObjectKey } from '../object-store.js';
import { createDiskParts } from './disk-parts.js';
import { createFileOperations, KeyTaken, nullIfMissing } from './file-operations.js';
import { createAddressSigner } from './signed-address.js';
import { createSmallFiles } from './small-files.js';

/** Below the root; every installation has it under this name. */
const TEMPORARY_FOLDER = 'drafts';
const PARTS = 'parts';
const WRITE_BUFFER = 1024 * 1024;

export interface DiskStore extends ObjectStore {
  readonly kind: 'disk';
  readonly addresses: ReturnType<typeof createAddressSigner>;
  /**
   * Stores the body of a signed PUT, returns the version. Leaves nothing behind if the stream fails or the key is taken; a part
   * replaces an earlier one. A power cut may undo it until the object is moved: the client has no answer before that.
   * A part is durable.
   */
  receive(key: string, body: Readable): Promise<string>;
  /** Like `read`, for a client: in small pieces, which organizations read in turn. */
  serve(orgId: string, key: string, range: { start: number; end: number }): Promise<Readable>;
}

export interface DiskOptions {
  root: string;
  /** The first one signs; addresses of all of them are valid. */
  signingKeys: readonly Buffer[];
  /** Our server's public URL. */
  publicUrl(): string;
}

export async function openDiskStore({ root, signingKeys, publicUrl }: DiskOptions): Promise<DiskStore> {
  const temporaryFolder = join(root, TEMPORARY_FOLDER);
  const parts = join(root, PARTS);
  const files = createFileOperations();
  await files.makeDurableFolder(temporaryFolder);
  const addresses = createAddressSigner(signingKeys);
  const smallFiles = createSmallFiles(temporaryFolder);
  const servedReads = createServedReads();
  const fileOf = (key: string) => join(root, ...validateObjectKey(key).split('/'));

  /** Writes a temporary file durably, then links it to its name. */
  async function store(
    key: string,
    body: Readable,
    giveName: (from: string, file: string) => Promise<void>,
  ): Promise<string> {
    const temporary = join(temporaryFolder, randomBytes(12).toString('hex'));
    // The body may fail while the file is being opened; the pipeline reports that afterwards.
    body.on('error', () => {});
    try {
      // Opened first: a stream that opens the file itself may do so after a failure, when the file is already removed.
      const fd = await files.open(temporary, 'wx');
      // `flush`: an fsync before the file is closed.
      await pipeline(body, createWriteStream(temporary, { fd, highWaterMark: WRITE_BUFFER, flush: true }));
      const written = await files.find(temporary);
      if (!written) throw new Error(`the temporary file of ${key} was removed`);
      await giveName(temporary, fileOf(key));
      return versionOf(written);
    } finally {
      await files.remove(temporary);
    }
  }

  const storeDurably = async (key: string, body: Readable): Promise<void> => {
    await store(key, body, files.giveDurableName).catch((error) => {
      if (!(error instanceof KeyTaken)) throw error;
    });
  };

  async function open(
    key: string,
    { start, end }: { start: number; end?: number } = { start: 0 },
    options: { highWaterMark: number; fs?: ReturnType<ReturnType<typeof createServedReads>> },
  ): Promise<Readable> {
    const file = fileOf(key);
    const fd = await files.open(file, 'r');
    if (end !== undefined && end <= start) {
      close(fd, () => {});
      return Readable.from([]);
    }
    return createReadStream(file, { ...options, fd, start, ...(end === undefined ? {} : { end: end - 1 }) });
  }

  return {
    kind: 'disk',
    check: () => assertHardLinks(temporaryFolder),
    isDiskFull: () => isDiskFull(root),
    parts: createDiskParts({
      root,
      files,
      fileOf,
      store: (key, body) => store(key, body, files.giveDurableName),
      filesBelow,
    }),
    addresses,
    signUpload: (grant) => publicUrl() + addresses.upload(grant),
    signPart: ({ key }, part) => publicUrl() + addresses.part(key, part),
    signDownload: (key, expiresAt) => publicUrl() + addresses.download(key, expiresAt),
    receive: (key, body) => store(key, body, keyOfPart(key) === null ? files.giveName : files.replaceDurably),
    storeDurably,
    write: (key, bytes) => storeDurably(key, Readable.from([bytes])),
    load: (key) => smallFiles.load(fileOf(key)),
    replace: (key, bytes) => smallFiles.replace(fileOf(key), bytes),
    async find(key) {
      return toObject(key, await files.find(fileOf(key)));
    },
    read: (key, range) => open(key, range, { highWaterMark: WRITE_BUFFER }),
    serve: (orgId, key, range) => open(key, range, { highWaterMark: SERVED_PIECE, fs: servedReads(orgId) }),
    async move({ key, version }, to) {
      const [from, target] = [fileOf(key), fileOf(to)];
      await files.giveDurableName(from, target).catch(async (error) => {
        // Already moved: by a process that crashed right after, or by a concurrent one.
        const there = await files.find(target);
        if (there && versionOf(there) === version) return;
        if (there) throw new Error(`${key} cannot be moved: another object exists at ${to}`);
        if (nullIfMissing(error) === null) throw new Error(`${key} cannot be moved: it does not exist`);
      });
      await files.remove(from);
      await files.removeEmpty(dirname(from), root);
    },
    // A second name of the same file: no byte is copied, and no object ever changes.
    async copy(from, to) {
      const [source, target] = [fileOf(from), fileOf(to)];
      try {
        await files.giveDurableName(source, target);
      } catch (error) {
        if (error instanceof KeyTaken) return;
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') {
          await files.removeEmpty(dirname(target), root);
          throw new Error(`${from} cannot be copied: it does not exist`, { cause: error });
        }
        // A file has as many names as its file system allows: 65,000 on ext4.
        if (code !== 'EMLINK') throw error;
        await store(to, createReadStream(source), files.giveDurableName);
      }
    },
    async remove(key) {
      const file = fileOf(key);
      await files.removeDurably(file);
      await files.removeEmpty(dirname(file), root);
    },
    async *list() {
      for await (const file of filesBelow(root, [temporaryFolder, parts])) {
        const key = relative(root, file).split(sep).join('/');
        const object = toObject(key, await files.find(file));
        if (object) yield object;
      }
    },
    async removeTemporaryFiles(before) {
      for await (const file of filesBelow(temporaryFolder)) {
        const found = await files.find(file);
        if (found && found.mtimeMs < before) await files.remove(file);
      }
    },
  };
}

async function assertHardLinks(temporaryFolder: string): Promise<void> {
  const newPath = () => join(temporaryFolder, randomBytes(12).toString('hex'));
  const [file, name] = [newPath(), newPath()];
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

async function* filesBelow(folder: string, except: readonly string[] = []): AsyncIterable<string> {
  const entries = await opendir(folder).catch(nullIfMissing);
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (except.includes(path)) continue;
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** A client that does not read holds two of them. */
export const SERVED_PIECE = 64 * 1024;

const READING = { maxConcurrent: 4, perKey: 2 };

type Done = (error: NodeJS.ErrnoException | null, bytes: number, buffer: Buffer) => void;

/** Returns the functions that a stream of an organization's file uses. */
export function createServedReads() {
  const queue = createFairQueue(READING);
  return (orgId: string) => ({
    open,
    close,
    read(fd: number, buffer: Buffer, offset: number, length: number, position: number, done: Done): void {
      const readPiece = () =>
        new Promise<void>((free) => {
          read(fd, buffer, offset, length, position, (error, bytes) => {
            free();
            done(error, bytes, buffer);
          });
        });
      void queue(orgId, readPiece);
    },
  });
}

// A backup on disk:
//   manifest.json            written last: without it the backup is incomplete
//   tables/posts.ndjson.gz   the rows of a table, a line each
//   files/<key>              the files of the object store
//   lists/1.ndjson.gz        their sizes and hashes, a list for each round of copying
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { MADE_BEFORE_RELEASE } from '../../db/migrate.js';
import { validateObjectKey } from '../../object-store/object-store.js';
import { DigestBuilder, isSameDigest, type RowsDigest } from './digest.js';
import { type CopiedFile, hashingStream, measure } from './files.js';
import { OperatorError, type Report } from './operator-error.js';
import type { SealedKeys } from './sealed-keys.js';

export interface Manifest {
  format: 2;
  id: string;
  /** The state of the database that was copied, in milliseconds. */
  made_at: number;
  engine: 'sqlite' | 'postgres';
  schema_version: number;
  tables: Record<string, RowsDigest>;
  lists: Record<string, RowsDigest>;
  /** Keys of files that rows refer to, and that the store did not have. */
  lost: string[];
  /** Identifies the encryption key that the rows need; null if there is none. */
  key_id: string | null;
  sealed_keys: SealedKeys | null;
}

/** What the file says, unchecked: it may be damaged, or written by another version. */
function parseManifest(text: string): (Partial<Omit<Manifest, 'format'>> & { format?: number }) | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const PAGE = 200;
const MANIFEST = 'manifest.json';

export class BackupFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes a new one. An earlier backup is never changed. */
  static async make(path: string): Promise<BackupFolder> {
    const there = await readdir(path).catch(nothing);
    if (there?.includes(MANIFEST)) throw new OperatorError(`${path} holds a backup. Choose a new folder.`);
    if (there && there.length > 0)
      throw new OperatorError(
        `${path} is not empty. If an unfinished backup is there, delete the folder and begin again; else choose a new one.`,
      );
    for (const name of ['tables', 'files', 'lists']) await mkdir(join(path, name), { recursive: true });
    return new BackupFolder(path);
  }

  /** Opens a complete one. */
  static async open(path: string): Promise<{ folder: BackupFolder; manifest: Manifest }> {
    const text = await readFile(join(path, MANIFEST), 'utf8').catch(nothing);
    if (text === null)
      throw new OperatorError(
        `${path} is no complete backup: it has no ${MANIFEST}, which is written last. Use another backup.`,
      );
    const manifest = parseManifest(text);
    if (manifest?.format === 1) throw new OperatorError(MADE_BEFORE_RELEASE);
    if (manifest?.format !== 2 || !manifest.tables?.installation)
      throw new OperatorError(
        `${join(path, MANIFEST)} is damaged, or of a newer version. Use another backup.`,
      );
    return { folder: new BackupFolder(path), manifest: manifest as Manifest };
  }

  tableFile = (name: string): string => join(this.path, 'tables', `${name}.ndjson.gz`);
  listFile = (name: string): string => join(this.path, 'lists', `${name}.ndjson.gz`);
  private fileOf = (key: string): string => join(this.path, 'files', ...validateObjectKey(key).split('/'));

  /** The file is there when it is whole. */
  async writeFile(key: string, body: Readable): Promise<Omit<CopiedFile, 'key'>> {
    const file = this.fileOf(key);
    await mkdir(dirname(file), { recursive: true });
    const { through, measured } = hashingStream();
    const draft = `${file}.draft`;
    try {
      await pipeline(body, through, createWriteStream(draft, { flush: true }));
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return measured();
  }

  readFile = (key: string): Readable => createReadStream(this.fileOf(key));

  hasFile = async (key: string): Promise<boolean> => (await stat(this.fileOf(key)).catch(nothing)) !== null;

  async writeManifest(manifest: Manifest): Promise<void> {
    const draft = join(this.path, `${MANIFEST}.${randomBytes(4).toString('hex')}`);
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
    await file.close();
    await rename(draft, join(this.path, MANIFEST));
    const folder = await open(this.path, 'r');
    await folder.sync();
    await folder.close();
  }
}

/** Writes pages of lines and returns what was written. */
export async function writeLines(file: string, pages: AsyncIterable<string[]>): Promise<RowsDigest> {
  const building = new DigestBuilder();
  await pipeline(
    async function* () {
      for await (const page of pages) {
        building.add(page);
        if (page.length > 0) yield `${page.join('\n')}\n`;
      }
    },
    createGzip(),
    createWriteStream(file, { flush: true }),
  );
  return building.digest;
}

export async function* readLines(file: string): AsyncGenerator<string[], void> {
  const bytes = createReadStream(file);
  const text = bytes.pipe(createGunzip()).setEncoding('utf8');
  bytes.on('error', (error) => text.destroy(error));
  try {
    const page: string[] = [];
    let begun = '';
    for await (const chunk of text) {
      const lines = `${begun}${chunk}`.split('\n');
      begun = lines.pop() ?? '';
      page.push(...lines);
      while (page.length >= PAGE) yield page.splice(0, PAGE);
    }
    if (page.length > 0) yield page;
  } finally {
    bytes.destroy();
  }
}

/** Reads the whole backup and compares it with its manifest. */
export async function verifyBackup(folder: BackupFolder, manifest: Manifest, report: Report): Promise<void> {
  const check = async (file: string, expected: RowsDigest, each: (line: string) => Promise<void>) => {
    const building = new DigestBuilder();
    try {
      for await (const page of readLines(file)) {
        building.add(page);
        for (const line of page) await each(line);
      }
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      throw damaged(file, error);
    }
    if (!isSameDigest(building.digest, expected)) throw damaged(file);
  };
  for (const [name, digest] of Object.entries(manifest.tables)) {
    await check(folder.tableFile(name), digest, async () => {});
    report(`checked: ${name}`);
  }
  let files = 0;
  for (const [name, digest] of Object.entries(manifest.lists))
    await check(folder.listFile(name), digest, async (line) => {
      const { key, size, sha256 } = JSON.parse(line) as CopiedFile;
      const found = await measure(folder.readFile(key)).catch((error) => {
        throw damaged(key, error);
      });
      if (found.size !== size || found.sha256 !== sha256) throw damaged(key);
      report(`checked: ${++files} files`);
    });
}

const damaged = (what: string, cause?: unknown) =>
  new OperatorError(
    `The backup is damaged: ${what} is missing, or has changed. Nothing was written. Use another backup.`,
    {
      cause,
    },
  );

function nothing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

// Small files that are read and replaced whole, such as the installation's note.
//
// Every claim waits for them: in the thread pool they queued behind slides being fitted (p50 of a drain: 123 ms, synchronously
// 3 ms).
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createAdaptiveIo } from './adaptive-io.js';
import { nullIfMissing } from './file-operations.js';

export function createSmallFiles(temporaryFolder: string, now?: () => number) {
  const run = createAdaptiveIo(now);
  return {
    /** Null if there is no such file. */
    load: (file: string): Promise<Buffer | null> =>
      run(
        () => readFileSync(file),
        () => readFile(file),
      ).catch(nullIfMissing),
    /** Either the old or the new file exists at every moment, even after a power cut. */
    async replace(file: string, bytes: Buffer): Promise<void> {
      const temporary = join(temporaryFolder, randomBytes(12).toString('hex'));
      await run(
        () => replaceSync(temporary, file, bytes),
        () => replaceInPool(temporary, file, bytes),
      );
    },
  };
}

const NEW_FILE = { flag: 'wx', mode: 0o600, flush: true } as const;
const FOLDER = { recursive: true, mode: 0o700 } as const;

function replaceSync(temporary: string, file: string, bytes: Buffer): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, FOLDER);
    writeFileSync(temporary, bytes, NEW_FILE);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

async function replaceInPool(temporary: string, file: string, bytes: Buffer): Promise<void> {
  const folder = dirname(file);
  try {
    await mkdir(folder, FOLDER);
    await writeFile(temporary, bytes, NEW_FILE);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

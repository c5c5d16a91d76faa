import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const GB = 2 ** 30;

/**
 * A folder in memory, if there is plenty: every commit of the embedded database waits for the disk. The proofs stay on the
 * disk, because their files are large. TMPDIR names another place.
 */
export function folderInMemory(): string | null {
  const memory = '/dev/shm';
  try {
    if (process.env.TMPDIR || !existsSync(memory) || freemem() < 8 * GB) return null;
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < 4 * GB) return null;
    const dir = mkdtempSync(join(memory, 'airdate-'));
    // Postgres may run as another user, and has its folder in this one.
    chmodSync(dir, 0o755);
    return dir;
  } catch {
    return null;
  }
}

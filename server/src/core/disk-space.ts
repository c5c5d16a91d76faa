// Whether the disk of a folder is full.
import { statfs } from 'node:fs/promises';

/** With less than this, any commit of the embedded database and any small file may be the one that fails. */
const MIN_FREE_BYTES = 32 * 2 ** 20;

export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  // Some file systems count no files, and have room for any number.
  return bavail * bsize < MIN_FREE_BYTES || (files > 0 && ffree === 0);
}

/** What a write to a full disk, or beyond the quota of its user, throws. */
export const isDiskFullError = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');

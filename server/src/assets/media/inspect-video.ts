// Has a video inspected in another process.
import { metadataOf } from './find-metadata.js';
import { LIMITS, readInChild } from './read-in-child.js';
import type { FileBytes, Verdict } from './verdict.js';

export async function inspectVideo(
  file: FileBytes,
  type: string,
  limits = LIMITS,
  signal?: AbortSignal,
): Promise<Verdict> {
  const start = await file.read(0, Math.min(file.size, 12));
  const isOld = type === 'video/quicktime' && start.toString('latin1', 4, 8) !== 'ftyp';
  const whole = isOld ? withBrand(file) : file;
  signal?.throwIfAborted();
  const verdict = await readInChild({ kind: 'inspect', type, size: whole.size }, whole, limits, signal);
  if (!verdict.ok) return verdict;
  const metadata = await metadataOf(file, type, limits, signal);
  return metadata.ok ? verdict : metadata;
}

/** QuickTime files from before 2005 lack the first box, by which the library recognizes the format. */
function withBrand(file: FileBytes): FileBytes {
  const brand = Buffer.from('\0\0\0\x10ftypqt  \0\0\0\0', 'latin1');
  const shift = brand.length;
  return {
    size: file.size + shift,
    read: async (start, end) => {
      const own = brand.subarray(Math.min(start, shift), Math.min(end, shift));
      if (end <= shift) return own;
      return Buffer.concat([own, await file.read(Math.max(start - shift, 0), end - shift)]);
    },
  };
}

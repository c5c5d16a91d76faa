// Has a picture decoded once, in another process: to check that it is complete, and to make its thumbnail.
import { readInChild } from './read-in-child.js';
import type { FileBytes, Verdict } from './verdict.js';

const MAX_BYTES = 20 * 1024 * 1024;

export async function inspectPicture(file: FileBytes, type: string): Promise<Verdict> {
  if (file.size > MAX_BYTES)
    return { ok: false, reason: 'The image is larger than 20 MB. Save a smaller one and upload it again.' };
  return readInChild({ kind: 'inspect', type, size: file.size }, file);
}

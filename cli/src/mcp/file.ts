// Which files of this computer an agent can send: images and videos, known by their first bytes, and if wanted of one folder.
import { statSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative } from 'node:path';
import { typeByName } from '../media-types.js';

export interface MediaFile {
  path: string;
  filename: string;
  type: string;
  size: number;
}

export class NotMedia extends Error {}

/** A prompt-injected agent could try to send any file, so files without a media signature are rejected before any request. */
const BEGINNINGS: Record<string, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => bytes.subarray(0, 4).toString('latin1') === '\u0089PNG',
  'image/jpeg': (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
  'video/mp4': (bytes) => /^(ftyp|moov|mdat|free|skip|wide)$/.test(bytes.toString('latin1', 4, 8)),
  'video/quicktime': (bytes) => /^(ftyp|moov|mdat|free|skip|wide)$/.test(bytes.toString('latin1', 4, 8)),
  'video/webm': (bytes) => bytes.readUInt32BE(0) === 0x1a45dfa3,
};

export async function openMedia(given: string, folder: string | undefined): Promise<MediaFile> {
  if (!isAbsolute(given) && folder === undefined)
    throw new NotMedia('The path must be absolute: no folder was named with --files.');
  const path = await realpath(folder === undefined || isAbsolute(given) ? given : `${folder}/${given}`).catch(
    () => {
      throw new NotMedia('There is no such file. Ask the person for its path.');
    },
  );
  if (folder !== undefined && !isBelow(path, await realpath(folder)))
    throw new NotMedia(
      `The file is not in ${folder}, the only folder that agents may use. Ask the person to put it there.`,
    );
  const type = typeByName(path);
  const info = await stat(path);
  if (!type || !info.isFile()) throw new NotMedia('It must be a file: .png, .jpg, .mp4, .mov or .webm.');
  if (!BEGINNINGS[type]?.(await firstBytes(path))) throw new NotMedia(`The file is not ${type}.`);
  return { path, filename: basename(given), type, size: info.size };
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(12);
    await file.read(bytes, 0, 12, 0);
    return bytes;
  } finally {
    await file.close();
  }
}

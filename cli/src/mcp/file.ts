// Which files of this computer an agent can send: images and videos, known by their first bytes, and if wanted of one folder.
import { statSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve } from 'node:path';
import { typeByName } from '../media-types.js';
import { invalidPath, problemOf, Refusal } from './problem.js';

export interface MediaFile {
  path: string;
  filename: string;
  type: string;
  size: number;
}

/** A prompt-injected agent could try to send any file, so files without a media signature are rejected before any request. */
const BEGINNINGS: Record<string, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => bytes.subarray(0, 4).toString('latin1') === '\u0089PNG',
  'image/jpeg': (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
  'video/mp4': (bytes) => /^(ftyp|moov|mdat|free|skip|wide)$/.test(bytes.toString('latin1', 4, 8)),
  'video/quicktime': (bytes) => /^(ftyp|moov|mdat|free|skip|wide)$/.test(bytes.toString('latin1', 4, 8)),
  'video/webm': (bytes) => bytes.readUInt32BE(0) === 0x1a45dfa3,
};

export async function openMedia(given: string, folder: string | undefined): Promise<MediaFile> {
  const path = await realPath(given, folder);
  const type = typeByName(path);
  const info = await stat(path);
  if (!type || !info.isFile())
    throw rejected('path must name a file that ends in .png, .jpg, .mp4, .mov or .webm.');
  if (!BEGINNINGS[type]?.(await firstBytes(path)))
    throw rejected(`The file that path names is not ${type}, although it is called so.`);
  return { path, filename: basename(given), type, size: info.size };
}

const ASK_FOR_PATH = 'Ask the person for the path.';

async function realPath(given: string, folder: string | undefined): Promise<string> {
  if (folder === undefined && !isAbsolute(given))
    throw invalidPath('must be absolute, because no folder was named with --files', ASK_FOR_PATH);
  const named = folder === undefined ? given : resolve(folder, given);
  const realFolder = folder === undefined ? undefined : await realpath(folder);
  // Outside, an agent does not even learn which files there are.
  if (
    folder !== undefined &&
    realFolder !== undefined &&
    ![folder, realFolder].some((one) => isBelow(named, one))
  )
    throw outside(folder);
  const path = await realpath(named).catch(() => {
    throw invalidPath('names no file', ASK_FOR_PATH);
  });
  if (folder !== undefined && realFolder !== undefined && !isBelow(path, realFolder)) throw outside(folder);
  return path;
}

const outside = (folder: string): Refusal =>
  new Refusal(
    problemOf('forbidden', `path is not in ${folder}, the only folder that agents may use.`),
    'Ask the person to put the file there.',
  );

const rejected = (detail: string): Refusal => new Refusal(problemOf('media_rejected', detail), ASK_FOR_PATH);

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

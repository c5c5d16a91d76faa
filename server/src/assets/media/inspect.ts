// Determines from its bytes what an uploaded file really is.
import { type ReadOptions, readInChild } from './read-in-child.js';
import { type FileBytes, refused, type Verdict } from './tasks.js';

/** The accepted types, and their common names. */
const NAMES: Record<string, string> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'video/mp4': 'MP4',
  'video/webm': 'WebM',
  'video/quicktime': 'QuickTime',
};

const HEAD_BYTES = 4096;
const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Maps types that players treat as one format. */
const SAME_AS: Record<string, string> = { 'video/x-m4v': 'video/mp4' };

/**
 * Throws only if the file cannot be read or the inspection itself failed: then nothing is known about the file, and it may
 * be inspected again. Anything wrong with the file is a verdict.
 */
export async function inspect(
  file: FileBytes,
  claimedType: string,
  /** Ends the inspection of a video. That of a picture goes on: another process would cost more than most pictures. */
  signal?: AbortSignal,
): Promise<Verdict> {
  const name = Object.hasOwn(NAMES, claimedType) ? NAMES[claimedType] : undefined;
  if (name === undefined)
    return refused(
      `Files of type ${claimedType} are not accepted. Upload ${Object.values(NAMES).join(', ')}.`,
    );
  if (file.size === 0) return refused('The file is empty. Upload it again.');

  const realType = await detectType(await file.read(0, Math.min(file.size, HEAD_BYTES)));
  if (realType !== claimedType) {
    if (realType === null) return refused(`This isn't a valid ${name}. Choose another file.`);
    if (Object.hasOwn(NAMES, realType))
      return refused(`This file is ${realType}, not ${claimedType}. Upload it as ${realType}.`);
    const isMedia = /^(image|video)\//.test(realType);
    return refused(
      `This file is ${realType}, not ${claimedType}. ${isMedia ? `Save it as ${name} and upload the new copy` : `Upload a valid ${name}`}.`,
    );
  }
  if (claimedType.startsWith('video/')) return inspectVideo(file, claimedType, { signal });
  if (file.size > MAX_PICTURE_BYTES)
    return refused('The image is larger than 20 MB. Save a smaller one and upload it again.');
  return readInChild('inspect', claimedType, file);
}

/** Null if the first bytes match no known type, as with any kind of text. */
export async function detectType(head: Buffer): Promise<string | null> {
  // file-type scans the chunks to give animated PNGs another name, and recognizes neither kind if the head ends within a
  // chunk header. Both are PNG here.
  if (head.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png';
  // Loaded at the first upload: a process without uploads does not need it.
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type === undefined) return null;
  return SAME_AS[type.mime] ?? type.mime;
}

export async function inspectVideo(
  file: FileBytes,
  type: string,
  options: ReadOptions = {},
): Promise<Verdict> {
  const start = await file.read(0, Math.min(file.size, 12));
  const isOld = type === 'video/quicktime' && start.toString('latin1', 4, 8) !== 'ftyp';
  options.signal?.throwIfAborted();
  const verdict = await readInChild('inspect', type, isOld ? withBrand(file) : file, options);
  if (!verdict.ok) return verdict;
  // A video in which it cannot be found is never sent, so it is refused here.
  const metadata = await readInChild('metadata', type, file, options);
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

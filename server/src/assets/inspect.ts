// What an uploaded file really is, by its bytes.
import { inspectPicture } from './inspect-picture.js';
import { inspectVideo } from './inspect-video.js';

/** A file to look into without holding it whole. */
export interface FileBytes {
  size: number;
  /** From `start` to before `end`; shorter only at the end of the file. */
  read(start: number, end: number): Promise<Buffer>;
}

export interface Found {
  width: number;
  height: number;
  /** Null for pictures. */
  durationMs: number | null;
  /** Null for pictures. */
  codec: string | null;
}

/** Either what was found, or the sentence that says why the file is refused. */
export type Verdict = { ok: true; found: Found; thumbnail: Buffer | null } | { ok: false; reason: string };

const TAKEN = ['image/png', 'image/jpeg', 'video/mp4', 'video/webm', 'video/quicktime'];

const HEAD_BYTES = 4096;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** One name for what players treat as one format. */
const SAME_AS: Record<string, string> = { 'video/x-m4v': 'video/mp4' };

/**
 * Throws only if the file cannot be read or the looking itself failed: then nothing is known about the file, and it
 * may be looked at again. Whatever is wrong with the file is a verdict.
 */
export async function inspect(file: FileBytes, claimedType: string): Promise<Verdict> {
  if (!TAKEN.includes(claimedType))
    return refused(`Files of the type ${claimedType} are not taken. Upload one of ${TAKEN.join(', ')}.`);
  if (file.size === 0) return refused('The file is empty. Upload it again.');

  const head = await file.read(0, Math.min(file.size, HEAD_BYTES));
  const realType = await typeOf(head);
  if (realType === null)
    return refused(
      `The file says ${claimedType} but its bytes are of no known kind. Upload a real ${nameOf(claimedType)} file.`,
    );
  if (realType !== claimedType)
    return refused(
      TAKEN.includes(realType)
        ? `The file says ${claimedType} but its bytes are ${realType}. Upload it with its real type.`
        : `The file says ${claimedType} but its bytes are ${realType}. Save it as ${nameOf(claimedType)} and upload that.`,
    );
  return claimedType.startsWith('image/')
    ? inspectPicture(file, claimedType)
    : inspectVideo(file, claimedType);
}

const refused = (reason: string): Verdict => ({ ok: false, reason });

function nameOf(type: string): string {
  return type === 'video/quicktime' ? 'QuickTime' : (type.split('/')[1] as string).toUpperCase();
}

/** Null if the first bytes fit nothing known, which is so for all kinds of text. */
async function typeOf(head: Buffer): Promise<string | null> {
  // file-type looks through the chunks to call an animated PNG by another name, and knows neither if the head ends
  // within a chunk's own head. Both are PNG here.
  if (head.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png';
  // Loaded at the first upload: a process that never sees one need not hold it.
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type === undefined) return null;
  return SAME_AS[type.mime] ?? type.mime;
}

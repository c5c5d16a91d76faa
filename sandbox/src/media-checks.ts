// What the platform finds out about files once it has all their bytes: a fail reason, or null.
import { type FileHandle, open } from 'node:fs/promises';
import type { PublishRow } from './store.js';

export interface Looked {
  reason: string | null;
  /** The file's real type; null if it is not accepted. */
  type: string | null;
}

const CODECS = ['avc', 'hevc', 'vp8', 'vp9'];
const VIDEO_SIDE = { least: 360, most: 4096 };
/** With tolerance for rounded timestamps. */
const FRAME_RATE = { least: 22.9, most: 60.5 };
const MOST_SECONDS = 600;
const PACKETS_COUNTED = 300;
const MOST_REQUESTS = 200_000;

const PHOTO_TYPES: Record<string, string> = { jpeg: 'image/jpeg', webp: 'image/webp' };
const PHOTO_SHORT_SIDE = 1080;
const PHOTO_PIXELS = 50_000_000;

export function lookInto(kind: PublishRow['kind'], file: string, maxSeconds: number): Promise<Looked> {
  return kind === 'photo' ? lookIntoPhoto(file) : lookIntoVideo(file, maxSeconds);
}

const refuse = (reason: string, type: string | null = null): Looked => ({ reason, type });

async function lookIntoPhoto(file: string): Promise<Looked> {
  // Loaded with the first file, like the library for videos: an idle sandbox should take no memory.
  const { default: sharp } = await import('sharp');
  // No picture is decoded twice.
  sharp.cache(false);
  const options = { failOn: 'error', limitInputPixels: PHOTO_PIXELS } as const;
  try {
    const { format, width, height } = await sharp(file, options).metadata();
    const type = PHOTO_TYPES[format];
    if (type === undefined) return refuse('file_format_check_failed');
    if (Math.min(width, height) > PHOTO_SHORT_SIDE) return refuse('picture_size_check_failed', type);
    // Only decoding shows that it is complete; a small copy is the cheapest way.
    await sharp(file, options).resize(16, 16, { fit: 'fill' }).raw().toBuffer();
    return { reason: null, type };
  } catch {
    return refuse('file_format_check_failed');
  }
}

async function lookIntoVideo(file: string, maxSeconds: number): Promise<Looked> {
  const handle = await open(file);
  try {
    return await lookIntoTrack(handle, (await handle.stat()).size, maxSeconds);
  } catch {
    // The library throws on unexpected content, and reading a local file does not fail.
    return refuse('file_format_check_failed');
  } finally {
    await handle.close();
  }
}

async function lookIntoTrack(handle: FileHandle, size: number, maxSeconds: number): Promise<Looked> {
  const { CustomSource, Input, MP4, QTFF, WEBM } = await import('mediabunny');
  let requests = 0;
  const source = new CustomSource({
    getSize: () => size,
    read: async (start, end) => {
      // On some broken files the library loops forever.
      if (++requests > MOST_REQUESTS) throw new Error('the library keeps requesting the same bytes');
      const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
      return buffer;
    },
  });
  const input = new Input({ source, formats: [MP4, QTFF, WEBM] });
  const track = await input.getPrimaryVideoTrack();
  const codec = await track?.getCodec();
  if (!track || !codec || !CODECS.includes(codec)) return refuse('file_format_check_failed');
  const { mimeType: type } = await input.getFormat();

  const sides = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  if (sides.some((side) => side < VIDEO_SIDE.least || side > VIDEO_SIDE.most))
    return refuse('picture_size_check_failed', type);
  const seconds = (await track.getDurationFromMetadata()) ?? (await track.computeDuration());
  if (!(seconds > 0 && seconds <= Math.min(maxSeconds, MOST_SECONDS)))
    return refuse('duration_check_failed', type);
  const { averagePacketRate: rate } = await track.computePacketStats(PACKETS_COUNTED);
  if (!(rate >= FRAME_RATE.least && rate <= FRAME_RATE.most)) return refuse('frame_rate_check_failed', type);
  return { reason: null, type };
}

// What the platform finds out about files once it has all their bytes: a fail reason, or null.
import { type Looked, refuse } from './looked.js';
import type { PublishRow } from './store.js';
import { lookIntoVideo } from './video-inspector.js';

const PHOTO_TYPES: Record<string, string> = { jpeg: 'image/jpeg', webp: 'image/webp' };
const PHOTO_SHORT_SIDE = 1080;
const PHOTO_PIXELS = 50_000_000;

export function lookInto(kind: PublishRow['kind'], file: string, maxSeconds: number): Promise<Looked> {
  return kind === 'photo' ? lookIntoPhoto(file) : lookIntoVideo(file, maxSeconds);
}

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
    return { reason: null, type, size: { width, height, seconds: 0 } };
  } catch {
    return refuse('file_format_check_failed');
  }
}

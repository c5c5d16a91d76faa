// What the platform finds out about a photo once it has all its bytes: a fail reason, or null. Runs in a process of its own
// (media-child.ts).
import sharp from 'sharp';
import { type Inspection, refuse } from './inspection.js';

const PHOTO_TYPES: Record<string, string> = { jpeg: 'image/jpeg', webp: 'image/webp' };
const PHOTO_SHORT_SIDE = 1080;
const PHOTO_PIXELS = 50_000_000;

// No picture is decoded twice.
sharp.cache(false);

export async function lookIntoPhoto(file: string): Promise<Inspection> {
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

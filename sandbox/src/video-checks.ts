// What the platform finds out about a video once it has all its bytes: a fail reason, or null. Runs in a process of its own
// (media-child.ts).
import { type FileHandle, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Inspection, refuse } from './inspection.js';

// The package's single CommonJS file: loading its hundred modules takes twice as long.
const { CustomSource, Input, MP4, QTFF, WEBM } = createRequire(import.meta.url)(
  'mediabunny',
) as typeof import('mediabunny');

const CODECS = ['avc', 'hevc', 'vp8', 'vp9'];
const VIDEO_SIDE = { min: 360, max: 4096 };
/** With tolerance for rounded timestamps. */
const FRAME_RATE = { min: 22.9, max: 60.5 };
const MAX_SECONDS = 600;
const PACKETS_COUNTED = 300;
const MAX_REQUESTS = 200_000;

export async function lookIntoVideo(file: string, maxSeconds: number): Promise<Inspection> {
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

async function lookIntoTrack(handle: FileHandle, size: number, maxSeconds: number): Promise<Inspection> {
  let requests = 0;
  const source = new CustomSource({
    getSize: () => size,
    read: async (start, end) => {
      // On some broken files the library loops forever.
      if (++requests > MAX_REQUESTS) throw new Error('the library keeps requesting the same bytes');
      const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
      return buffer;
    },
  });
  const input = new Input({ source, formats: [MP4, QTFF, WEBM] });
  const track = await input.getPrimaryVideoTrack();
  const codec = await track?.getCodec();
  if (!track || !codec || !CODECS.includes(codec)) return refuse('file_format_check_failed');
  const { mimeType: type } = await input.getFormat();

  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  if ([width, height].some((side) => side < VIDEO_SIDE.min || side > VIDEO_SIDE.max))
    return refuse('picture_size_check_failed', type);
  const seconds = (await track.getDurationFromMetadata()) ?? (await track.computeDuration());
  if (!(seconds > 0 && seconds <= Math.min(maxSeconds, MAX_SECONDS)))
    return refuse('duration_check_failed', type);
  const { averagePacketRate: rate } = await track.computePacketStats(PACKETS_COUNTED);
  if (!(rate >= FRAME_RATE.min && rate <= FRAME_RATE.max)) return refuse('frame_rate_check_failed', type);
  return { reason: null, type, size: { width, height, seconds } };
}

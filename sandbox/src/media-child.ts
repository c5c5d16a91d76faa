// Looks into files in a process of its own, one after the other (see media-inspector.ts): a file that makes a library loop
// or run out of memory takes this process with it, and nothing else.
import { type FileHandle, open } from 'node:fs/promises';
import { CustomSource, Input, MP4, QTFF, WEBM } from 'mediabunny';
import { type Inspection, refuse } from './inspection.js';
import type { PublishRow } from './store.js';

export interface Job {
  kind: PublishRow['kind'];
  file: string;
  maxSeconds: number;
}

const CODECS = ['avc', 'hevc', 'vp8', 'vp9'];
const VIDEO_SIDE = { min: 360, max: 4096 };
/** With tolerance for rounded timestamps. */
const FRAME_RATE = { min: 22.9, max: 60.5 };
const MAX_SECONDS = 600;
const PACKETS_COUNTED = 300;
const MAX_REQUESTS = 200_000;

async function lookIntoVideo(file: string, maxSeconds: number): Promise<Inspection> {
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

async function inspectMedia({ kind, file, maxSeconds }: Job): Promise<Inspection> {
  if (kind !== 'photo') return lookIntoVideo(file, maxSeconds);
  // Loaded with the first photo.
  const { lookIntoPhoto } = await import('./photo-checks.js');
  return lookIntoPhoto(file);
}

process.on('message', async (job: Job) => {
  process.send?.(await inspectMedia(job));
});
// The parent is gone.
process.on('disconnect', () => process.exit());

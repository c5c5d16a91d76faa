// Determines what a video is from its index and its first and last frame. Runs in a process of its own (child.ts).
import { createRequire } from 'node:module';
import type { InputFormat, CustomSource as Source } from 'mediabunny';
import { type ReadBytes, refused, type Task, type Verdict } from './tasks.js';

// Loaded from the package's single CommonJS file: loading its hundred modules takes twice as long.
const { CustomSource, EncodedPacketSink, Input, MP4, QTFF, WEBM } = createRequire(import.meta.url)(
  'mediabunny',
) as typeof import('mediabunny');

const FORMATS: Record<string, InputFormat> = {
  'video/mp4': MP4,
  'video/quicktime': QTFF,
  'video/webm': WEBM,
};

const MAX_SIDE = 16_384;
/** Far more than anyone publishes. At 30 frames a second, the index of this fits into the given memory. */
const MAX_HOURS = 4;

const BROKEN = "The video can't be read: it's damaged or incomplete. Save it again and upload the new copy.";

/** The library throws on unexpected content: that is always the file's fault, because reads do not fail here. */
export const judgeVideo = (task: Task, maxReadBytes: number, read: ReadBytes): Promise<Verdict> =>
  inspect(task, maxReadBytes, read).catch(() => refused(BROKEN));

async function inspect(task: Task, maxReadBytes: number, read: ReadBytes): Promise<Verdict> {
  const { type } = task;
  const input = new Input({
    source: sourceOf(task, maxReadBytes, read),
    formats: [FORMATS[type] as InputFormat],
  });
  if (!(await input.canRead())) return refused(BROKEN);
  const track = await input.getPrimaryVideoTrack();
  if (track === null) {
    const hasSound = (await input.getPrimaryAudioTrack()) !== null;
    return refused(hasSound ? 'The file has sound but no picture. Upload a video.' : BROKEN);
  }

  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  if (!(width > 0 && height > 0 && Number.isInteger(width) && Number.isInteger(height)))
    return refused("The video doesn't state its width and height. Save it again and upload the new copy.");
  if (width > MAX_SIDE || height > MAX_SIDE)
    return refused(`The video has ${width} × ${height} pixels. Make each side 16,384 pixels or shorter.`);

  const codec = await track.getCodec();
  if (codec === null)
    return refused("The video's codec isn't supported. Save it as H.264 and upload the new copy.");

  const packets = new EncodedPacketSink(track);
  if ((await packets.getFirstPacket()) === null)
    return refused('The video has no frames. Save it again and upload the new copy.');
  // WebM states its duration, and finding its last frame may mean reading all of it. The index of the other formats is
  // already here; a readable last frame shows that nothing is missing at the end.
  let seconds = type === 'video/webm' ? await track.getDurationFromMetadata() : null;
  if (seconds === null) {
    const last = await packets.getPacket(Number.POSITIVE_INFINITY);
    if (last === null) return refused(BROKEN);
    seconds = last.timestamp + last.duration;
  }
  const durationMs = Math.round(seconds * 1000);
  if (!(durationMs > 0)) return refused('The video has no duration. Save it again and upload the new copy.');
  if (!(seconds <= MAX_HOURS * 3600))
    return refused(`The video is longer than ${MAX_HOURS} hours. Shorten it and upload the new copy.`);
  return { ok: true, found: { width, height, durationMs, codec }, thumbnail: null };
}

// The bytes of a video as the library reads them: in blocks, of which the most recent are cached.

const BLOCK = 64 * 1024;
/** 8 MB. */
const MAX_CACHED_BLOCKS = 128;
/** Longer ranges are an index that is read once, so they are not cached. */
const LONG = 1024 * 1024;
/**
 * On some broken files the library (1.61) loops forever: it looks for the next WebM element and finds the one it could not
 * read. Everything it requests then is cached, so neither bytes nor events would ever stop it. A live recording of ten
 * minutes has some 50,000 blocks, each requested; other files take a few requests, and some for each fragment.
 */
const MAX_REQUESTS: Record<string, number> = { 'video/webm': 200_000 };
const MAX_REQUESTS_OF_OTHERS = 40_000;

/** The library's own cache is off: requests answered from it would not be counted here. */
function sourceOf({ size, type }: Task, maxReadBytes: number, ask: ReadBytes): Source {
  const blocks = new Map<number, Uint8Array>();
  const maxRequests = MAX_REQUESTS[type] ?? MAX_REQUESTS_OF_OTHERS;
  let requests = 0;

  async function readLong(start: number, end: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let at = start; at < end; at += maxReadBytes)
      parts.push(await ask(at, Math.min(end, at + maxReadBytes)));
    return Buffer.concat(parts);
  }

  async function readBlocks(start: number, end: number): Promise<Uint8Array> {
    const first = Math.floor(start / BLOCK);
    const numbers = Array.from({ length: Math.ceil(end / BLOCK) - first }, (_, i) => first + i);
    const missing = numbers.filter((number) => !blocks.has(number));
    const [from, to] = [missing[0], missing.at(-1)];
    if (from !== undefined && to !== undefined) {
      const bytes = await ask(from * BLOCK, Math.min((to + 1) * BLOCK, size));
      for (let number = from; number <= to; number++)
        blocks.set(number, bytes.subarray((number - from) * BLOCK, (number - from + 1) * BLOCK));
    }
    const found = Buffer.concat(numbers.map((number) => blocks.get(number) as Uint8Array));
    for (const number of blocks.keys()) if (blocks.size > MAX_CACHED_BLOCKS) blocks.delete(number);
    return found.subarray(start - first * BLOCK, end - first * BLOCK);
  }

  return new CustomSource({
    getSize: () => size,
    maxCacheSize: 0,
    read: async (start, end) => {
      if (++requests > maxRequests) throw new Error('the library keeps requesting the same bytes');
      return end - start > LONG ? readLong(start, end) : readBlocks(start, end);
    },
  });
}

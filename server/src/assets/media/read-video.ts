// Determines what a video is from its index and its first and last frame. Runs in a process of its own (child.ts).
import type { InputFormat } from 'mediabunny';
import { EncodedPacketSink, Input, MP4, QTFF, WEBM } from './mediabunny.js';
import type { Read, Task } from './tasks.js';
import type { Verdict } from './verdict.js';
import { sourceOf } from './video-source.js';

const FORMATS: Record<string, InputFormat> = {
  'video/mp4': MP4,
  'video/quicktime': QTFF,
  'video/webm': WEBM,
};

const MAX_SIDE = 16_384;
/** Far more than anyone publishes. At 30 frames a second, the index of this fits into the given memory. */
const MAX_HOURS = 4;

const BROKEN = "The video can't be read: it's damaged or incomplete. Save it again and upload the new copy.";

const refused = (reason: string): Verdict => ({ ok: false, reason });

/** The library throws on unexpected content: that is always the file's fault, because reads do not fail here. */
export const inspectVideo = (task: Task, maxReadBytes: number, read: Read): Promise<Verdict> =>
  inspect(task, maxReadBytes, read).catch(() => refused(BROKEN));

async function inspect(task: Task, maxReadBytes: number, read: Read): Promise<Verdict> {
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

// Inspects one video in a process of its own (see inspect-video.ts): requests ranges of the file, answers once.

import { Worker } from 'node:worker_threads';
import type { InputFormat } from 'mediabunny';
import { EncodedPacketSink, Input, MP4, QTFF, WEBM } from './mediabunny.js';
import type { Found } from './verdict.js';
import { sourceOf } from './video-source.js';

export interface Task {
  size: number;
  type: string;
  maxReadBytes: number;
  /** When the process must have ended, whatever happens. */
  lifeMs: number;
}
export type ToChild = { task: Task } | { read: number; bytes: Uint8Array };
export type FromChild =
  | { is: 'ready' }
  | { is: 'read'; read: number; start: number; end: number }
  | { is: 'found'; found: Found }
  | { is: 'refused'; reason: string };

const FORMATS: Record<string, InputFormat> = {
  'video/mp4': MP4,
  'video/quicktime': QTFF,
  'video/webm': WEBM,
};

const MAX_SIDE = 16_384;
/** Far more than anyone publishes. At 60 frames a second, the index of this fits into the given memory. */
const MAX_HOURS = 4;

const BROKEN = "The video can't be read: it's damaged or incomplete. Save it again and upload the new copy.";

const tell = (message: FromChild) => process.send?.(message);

const waiting = new Map<number, (bytes: Uint8Array) => void>();
let reads = 0;

function read(start: number, end: number): Promise<Uint8Array> {
  const id = ++reads;
  tell({ is: 'read', read: id, start, end });
  return new Promise((arrived) => waiting.set(id, arrived));
}

async function inspectVideo({ size, type, maxReadBytes }: Task): Promise<FromChild> {
  const refused = (reason: string): FromChild => ({ is: 'refused', reason });
  const input = new Input({
    source: sourceOf(size, maxReadBytes, read),
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
  return { is: 'found', found: { width, height, durationMs, codec } };
}

/**
 * Covers the case that the parent dies while this process is stuck in a loop: no event reaches it then, and no other
 * process would end it. Only another thread still can.
 */
function endAfter(ms: number) {
  const kill = `setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${ms})`;
  new Worker(kill, { eval: true }).unref();
}

process.on('message', (message: ToChild) => {
  if ('task' in message) {
    endAfter(message.task.lifeMs);
    // The library throws on unexpected content: that is always the file's fault, because reads do not fail here.
    inspectVideo(message.task).then(tell, () => tell({ is: 'refused', reason: BROKEN }));
    return;
  }
  waiting.get(message.read)?.(message.bytes);
  waiting.delete(message.read);
});
// The parent is gone, so the answer has no receiver.
process.on('disconnect', () => process.exit());
tell({ is: 'ready' });

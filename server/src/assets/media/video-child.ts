// Looks into one video, in a process of its own (see inspect-video.ts): asks for ranges of the file, answers once.

import { Worker } from 'node:worker_threads';
import { EncodedPacketSink, Input, type InputFormat, MP4, QTFF, WEBM } from 'mediabunny';
import type { Found } from './verdict.js';
import { sourceOf } from './video-source.js';

export interface Task {
  size: number;
  type: string;
  maxReadBytes: number;
  /** When it must be gone, whatever happens. */
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
/** Far more than anybody publishes. At 60 pictures a second, the index of this fits into the memory given. */
const MAX_HOURS = 4;

const BROKEN = 'The video cannot be read: its structure is broken or cut off. Save it again and upload that.';

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
    return refused('The video says nowhere how wide and high it is. Save it again and upload that.');
  if (width > MAX_SIDE || height > MAX_SIDE)
    return refused(`The video has ${width} × ${height} pixels. Make each side 16,384 pixels or shorter.`);

  const codec = await track.getCodec();
  if (codec === null)
    return refused('The codec of the video is not known here. Save it as H.264 and upload that.');

  const packets = new EncodedPacketSink(track);
  if ((await packets.getFirstPacket()) === null)
    return refused('The video has no pictures in it. Save it again and upload that.');
  // WebM says how long it is, and finding its last picture may mean to walk through all of it. The index of the others
  // is here already; that its last picture can be read shows that nothing is missing at the end.
  let seconds = type === 'video/webm' ? await track.getDurationFromMetadata() : null;
  if (seconds === null) {
    const last = await packets.getPacket(Number.POSITIVE_INFINITY);
    if (last === null) return refused(BROKEN);
    seconds = last.timestamp + last.duration;
  }
  const durationMs = Math.round(seconds * 1000);
  if (!(durationMs > 0)) return refused('The video has no duration. Save it again and upload that.');
  if (!(seconds <= MAX_HOURS * 3600))
    return refused(`The video says it is longer than ${MAX_HOURS} hours. Make it shorter and upload that.`);
  return { is: 'found', found: { width, height, durationMs, codec } };
}

/**
 * For when the parent dies by surprise while this process goes round in circles: then no event reaches it any more,
 * and nobody else would end it. Only another thread still can.
 */
function endAfter(ms: number) {
  const kill = `setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${ms})`;
  new Worker(kill, { eval: true }).unref();
}

process.on('message', (message: ToChild) => {
  if ('task' in message) {
    endAfter(message.task.lifeMs);
    // The library throws on what it does not expect: all of that is the file's fault, reads do not fail here.
    inspectVideo(message.task).then(tell, () => tell({ is: 'refused', reason: BROKEN }));
    return;
  }
  waiting.get(message.read)?.(message.bytes);
  waiting.delete(message.read);
});
// Nobody is there any more to hear the answer.
process.on('disconnect', () => process.exit());
tell({ is: 'ready' });

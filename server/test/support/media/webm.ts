// A small WebM built element by element, so that each of them can be replaced by a bad one.
import { element, text, u16 } from './parts.js';

export interface WebmPlan {
  docType?: string;
  /** Milliseconds; null leaves it out. */
  duration?: number | null;
  width?: number;
  height?: number;
  trackType?: 'video' | 'audio';
  codec?: string;
  /** More elements before the frames. */
  more?: Buffer[];
  clusters?: Buffer[];
  segmentSize?: Buffer;
}

const byte = (value: number) => Buffer.from([value]);
const double = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};

export const cluster = (size?: Buffer): Buffer =>
  element(
    '1f43b675',
    Buffer.concat([element('e7', byte(0)), ...[0, 100, 200].map((ms) => element('a3', block(ms)))]),
    size,
  );
const block = (ms: number) => Buffer.concat([byte(0x81), u16(ms), byte(0x80), text('some picture')]);

/** By default three frames of 360 × 640 in 300 ms, valid for readers of the index, not for decoders. */
export function webm(plan: WebmPlan = {}): Buffer {
  const { docType = 'webm', duration = 300, width = 360, height = 640, trackType = 'video' } = plan;
  const head = element('1a45dfa3', Buffer.concat([element('4282', text(docType)), element('4287', byte(4))]));
  const info = [element('2ad7b1', Buffer.from('0f4240', 'hex'))];
  if (duration !== null) info.push(element('4489', double(duration)));
  const details =
    trackType === 'video'
      ? element('e0', Buffer.concat([element('b0', u16(width)), element('ba', u16(height))]))
      : element('e1', Buffer.concat([element('b5', double(48000)), element('9f', byte(2))]));
  const track = Buffer.concat([
    element('d7', byte(1)),
    element('73c5', byte(1)),
    element('83', byte(trackType === 'video' ? 1 : 2)),
    element('86', text(plan.codec ?? (trackType === 'video' ? 'V_VP8' : 'A_OPUS'))),
    details,
  ]);
  const content = [
    element('1549a966', Buffer.concat(info)),
    element('1654ae6b', element('ae', track)),
    ...(plan.more ?? []),
    ...(plan.clusters ?? [cluster()]),
  ];
  return Buffer.concat([head, element('18538067', Buffer.concat(content), plan.segmentSize)]);
}

// The boxes of an MP4 or QuickTime file.
import type { Headers } from './headers.js';

export interface Box {
  type: string;
  start: number;
  /** Where its content begins. */
  content: number;
  end: number;
}

/** From the first that cannot be one up to the end, all is one of type `NO_BOX`. */
export const NO_BOX = '';
export async function* boxesIn(headers: Headers, start: number, end: number): AsyncGenerator<Box> {
  for (let at = start; at < end; ) {
    const rest = { type: NO_BOX, start: at, content: at, end };
    if (at + 8 > end) return yield rest;
    const head = await headers.at(at, 16);
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
    const content = at + (isLong ? 16 : 8);
    if (at + size < content) return yield rest;
    const box = { type: head.toString('latin1', 4, 8), start: at, content, end: Math.min(at + size, end) };
    yield box;
    at = box.end;
  }
}

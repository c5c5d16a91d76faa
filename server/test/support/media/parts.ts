// The parts of images and videos, to build valid and invalid ones in code.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';

export const fixture = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../../../test/media/${name}`, import.meta.url)));

export const text = (string: string) => Buffer.from(string, 'latin1');
export const u16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
export const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, i * 4);
  return bytes;
};
export const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};
export const zeros = (length: number) => Buffer.alloc(length);

/** Reads like a store, and counts the bytes read. */
export function fileOf(bytes: Buffer) {
  const file = {
    size: bytes.length,
    bytesRead: 0,
    read: async (start: number, end: number) => {
      const range = bytes.subarray(start, end);
      file.bytesRead += range.length;
      return range;
    },
  };
  return file;
}

// PNG

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export function chunk(type: string, data: Buffer, crc?: number): Buffer {
  const body = Buffer.concat([text(type), data]);
  return Buffer.concat([u32(data.length), body, u32(crc ?? crc32(body))]);
}

export interface PngPlan {
  width?: number;
  height?: number;
  depth?: number;
  colour?: number;
  interlaced?: boolean;
  /** Between IHDR and the pixels. */
  before?: Buffer[];
  /** Compressed pixels, in place of the matching ones. */
  pixels?: Buffer;
  pixelsCrc?: number;
}

/** By default a valid PNG of 16 × 16 grey pixels. */
export function png({ width = 16, height = 16, depth = 8, colour = 0, ...plan }: PngPlan = {}): Buffer {
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colour] ?? 1;
  const line = 1 + Math.ceil((width * samples * depth) / 8);
  // The seven passes of an interlaced image have more lines; extra lines are not read.
  const length = line * height * (plan.interlaced ? 2 : 1);
  const flags = Buffer.from([depth, colour, 0, 0, plan.interlaced ? 1 : 0]);
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', Buffer.concat([u32(width, height), flags])),
    ...(plan.before ?? []),
    chunk('IDAT', plan.pixels ?? deflateSync(zeros(length)), plan.pixelsCrc),
    chunk('IEND', zeros(0)),
  ]);
}

// JPEG

export const segment = (marker: number, data: Buffer) =>
  Buffer.concat([Buffer.from([0xff, marker]), u16(data.length + 2), data]);

/** A valid JPEG with more segments right after its start. */
export function jpegWith(...segments: Buffer[]): Buffer {
  const good = fixture('slide.jpg');
  return Buffer.concat([good.subarray(0, 2), ...segments, good.subarray(2)]);
}

/** A valid JPEG whose frame header has another size. */
export function jpegOfSize(width: number, height: number): Buffer {
  const bytes = fixture('slide.jpg');
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1);
    if (marker !== 0xc0 && marker !== 0xc2) continue;
    bytes.writeUInt16BE(height, at + 5);
    bytes.writeUInt16BE(width, at + 7);
    return bytes;
  }
}

// MP4 and QuickTime

export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), text(type), body]);
}
/** A box with a false size. */
export const boxOfSize = (size: number, type: string, ...content: Buffer[]) =>
  Buffer.concat([u32(size), text(type), ...content]);

// WebM

/** `id` in hexadecimal, as in the specification. `size` replaces the real one. */
export function element(id: string, content: Buffer, size?: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'hex'), size ?? sizeOf(content.length), content]);
}
export const sizeOf = (length: number) =>
  Buffer.concat([Buffer.from([0x01]), u64(BigInt(length)).subarray(1)]);
export const UNKNOWN_SIZE = Buffer.from('01ffffffffffffff', 'hex');
/** 2^48-1, the largest that readers agree on: beyond 2^53 some treat it as an unknown size. */
export const GIANT_SIZE = Buffer.from('0100ffffffffffff', 'hex');

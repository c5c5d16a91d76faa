// Reads the size of a PNG or JPEG, and what decoding it will take, from its header without decoding it.
import { isBare, isFrame } from './reduce-jpeg.js';

export interface PictureHeader {
  width: number;
  height: number;
  /**
   * Bytes needed in memory at the same time to decode it. Zero if it can be decoded line by line; interlaced PNG and progressive
   * JPEG need several passes over the whole picture, so all of it stays in memory.
   */
  heldBytes: number;
}

/** Null if the header is missing or not valid. */
export function readPictureHeader(bytes: Buffer, type: string): PictureHeader | null {
  return type === 'image/png' ? readPng(bytes) : readJpeg(bytes);
}

/** Samples per pixel by PNG colour type; a palette is decoded to colours, maybe with transparency. */
const PNG_SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

/** Decoded bytes per pixel of a PNG, for callers that need it whole for another reason. */
export function pngBytesPerPixel(bytes: Buffer): number {
  const samples = PNG_SAMPLES[bytes.readUInt8(25)] ?? 4;
  return samples * (bytes.readUInt8(24) === 16 ? 2 : 1);
}

function readPng(bytes: Buffer): PictureHeader | null {
  // Signature, then IHDR as the first chunk, at a fixed position.
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const interlaced = bytes.readUInt8(28) !== 0;
  return {
    width,
    height,
    heldBytes: interlaced ? width * height * pngBytesPerPixel(bytes) : 0,
  };
}

const isProgressive = (marker: number) => [0xc2, 0xc6, 0xca, 0xce].includes(marker);
const START_OF_SCAN = 0xda;
function readJpeg(bytes: Buffer): PictureHeader | null {
  let frame: { marker: number; width: number; height: number; components: number; heldBytes: number } | null =
    null;
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] as number;
    // Any number of FF bytes may precede a marker.
    if (marker === 0xff || isBare(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return null;
    if (isFrame(marker)) {
      // Decoders disagree about a second frame.
      if (frame !== null || length < 8) return null;
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      const components = bytes.readUInt8(at + 9);
      if (length < 8 + components * 3) return null;
      const heldBytes = width * height * shareOfSamples(bytes, at + 10, components) * 2;
      frame = { marker, width, height, components, heldBytes };
    }
    if (marker === START_OF_SCAN) {
      if (frame === null || length < 3) return null;
      const inPasses = isProgressive(frame.marker) || bytes.readUInt8(at + 4) < frame.components;
      return {
        width: frame.width,
        height: frame.height,
        heldBytes: inPasses ? frame.heldBytes : 0,
      };
    }
    at = end;
  }
  return null;
}

/** Samples per pixel: 3 for full colour, 1.5 with chroma at half resolution. */
function shareOfSamples(bytes: Buffer, at: number, components: number): number {
  const sizes = Array.from({ length: components }, (_, i) => {
    const factors = bytes.readUInt8(at + i * 3 + 1);
    return [factors >> 4, factors & 15] as const;
  });
  const widest = Math.max(1, ...sizes.map(([across]) => across));
  const highest = Math.max(1, ...sizes.map(([, down]) => down));
  return sizes.reduce((sum, [across, down]) => sum + (across * down) / (widest * highest), 0);
}

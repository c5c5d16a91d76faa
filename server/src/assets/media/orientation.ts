// How a picture is to be turned, as its EXIF data says, read by a parser of our own: nothing else of that data is looked at, and none
// of it reaches a decoder.

const IMAGE_DIRECTORY_ENTRY = 12;
const ORIENTATION = 0x0112;
const SHORT = 3;

/** 1 to 8, from the TIFF structure that EXIF is; 1 (upright) if it does not say. */
export function orientationIn(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const order = tiff.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') return 1;
  const isLittle = order === 'II*\0';
  const u16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const directory = u32(4);
  if (directory + 2 > tiff.length) return 1;
  const entries = u16(directory);
  for (let n = 0, at = directory + 2; n < entries; n++, at += IMAGE_DIRECTORY_ENTRY) {
    if (at + IMAGE_DIRECTORY_ENTRY > tiff.length) return 1;
    if (u16(at) !== ORIENTATION) continue;
    const value = u16(at + 8);
    return u16(at + 2) === SHORT && u32(at + 4) === 1 && value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** The TIFF structure that says this and nothing else, for the decoder. */
export function orientationTiff(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

// Pictures that are small and take much to read, or whose parts lie about each other, made in families.
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import type { Hostile } from './hostile-media.js';
import {
  chunk,
  fixture,
  jpegOfSize,
  jpegWith,
  PNG_SIGNATURE,
  png,
  segment,
  text,
  u16,
  u32,
  zeros,
} from './parts.js';

const MB = 1024 * 1024;
const PNG = 'image/png';
const JPEG = 'image/jpeg';
const of = (contentType: string, expected: Hostile['expected']) => (title: string, bytes: () => Buffer) => ({
  title: `${contentType === PNG ? 'PNG' : 'JPEG'} ${title}`,
  contentType,
  bytes,
  expected,
});

/** Packed once: the largest text that a decoder unpacks of one chunk. */
let packed: Buffer | undefined;
const packedText = () => (packed ??= deflateSync(Buffer.alloc(7_000_000, 'x'), { level: 9 }));
/** One megabyte is packed once and repeated; the checksum at the end, which hardly any reader reaches, is wrong. */
const packedMuch = (megabytes: number) => {
  const one = deflateRawSync(Buffer.alloc(MB, 'x'), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([
    Buffer.from('78da', 'hex'),
    ...Array(megabytes).fill(one),
    Buffer.from('030000000000', 'hex'),
  ]);
};
const many = (count: number, make: (n: number) => Buffer) => Array.from({ length: count }, (_, n) => make(n));
const zTXt = (n: number) => chunk('zTXt', Buffer.concat([text(`c${n}\0\0`), packedText()]));
const iTXt = (n: number) => chunk('iTXt', Buffer.concat([text(`c${n}\0\x01\0\0\0`), packedText()]));
const iCCP = (data: Buffer) => chunk('iCCP', Buffer.concat([text('icc\0\0'), data]));
const after = (whole: Buffer, ...more: Buffer[]) =>
  Buffer.concat([whole.subarray(0, -12), ...more, whole.subarray(-12)]);

const okPng = of(PNG, 'harmless');
const badPng = of(PNG, 'refused');
const anyPng = of(PNG, 'either');
const PNG_BOMBS: Hostile[] = [
  okPng('with 30 packed texts of 7 MB', () => png({ before: many(30, zTXt) })),
  okPng('with 1,000 packed texts of 7 MB', () => png({ before: many(1000, zTXt) })),
  okPng('with 30 packed international texts of 7 MB', () => png({ before: many(30, iTXt) })),
  okPng('with 1,000 packed international texts of 7 MB', () => png({ before: many(1000, iTXt) })),
  okPng('with 60 packed texts after its pixels', () => after(png(), ...many(60, zTXt))),
  okPng('with 100,000 empty texts', () => png({ before: many(100_000, () => chunk('tEXt', text('a\0'))) })),
  okPng('with 500,000 chunks of no content and no meaning', () =>
    png({ before: [Buffer.alloc(500_000 * 12, chunk('abCd', zeros(0)))] }),
  ),
  okPng('with 500,000 empty chunks of pixels', () =>
    after(png(), Buffer.alloc(500_000 * 12, chunk('IDAT', zeros(0)))),
  ),
  okPng('with 100 colour profiles of 4 MB, packed', () =>
    png({ before: many(100, () => iCCP(packedMuch(4))) }),
  ),
  okPng('with a colour profile that unpacks to 500 MB', () => png({ before: [iCCP(packedMuch(500))] })),
  okPng('with a colour profile that is no packed data', () =>
    png({ before: [iCCP(text('no packed data'))] }),
  ),
  okPng('with a colour profile without an end to its name', () =>
    png({ before: [chunk('iCCP', Buffer.alloc(100, 'x'))] }),
  ),
  okPng('with an animation of 2^31 frames', () => png({ before: [chunk('acTL', u32(0x7fffffff, 0))] })),
  okPng('with 2,000 frames of an animation behind its pixels', () =>
    after(png(), ...many(2000, (n) => chunk('fdAT', Buffer.concat([u32(n), deflateSync(zeros(17 * 16))])))),
  ),
  okPng('with EXIF whose directory lies behind its end', () =>
    png({ before: [chunk('eXIf', Buffer.concat([text('MM\0*'), u32(0xfffffff0)]))] }),
  ),
  okPng('with EXIF of 65,535 entries that are not there', () =>
    png({
      before: [chunk('eXIf', Buffer.concat([text('II*\0\x08\0\0\0'), Buffer.from([0xff, 0xff]), zeros(24)]))],
    }),
  ),
  okPng('with EXIF whose directory is its own header', () =>
    png({ before: [chunk('eXIf', Buffer.concat([text('MM\0*'), u32(0), zeros(8)]))] }),
  ),
  okPng('with EXIF that says it is turned in an unknown way', () =>
    png({
      before: [
        chunk(
          'eXIf',
          Buffer.concat([text('MM\0*'), u32(8), u16(1), u16(0x112), u16(3), u32(1), u16(99), zeros(6)]),
        ),
      ],
    }),
  ),
  okPng('of 49 megapixels with 16 bits a colour', () =>
    png({ width: 7000, height: 7000, depth: 16, colour: 6 }),
  ),
  okPng('of 16,384 × 3,000 in one bit', () => png({ width: 16_384, height: 3_000, depth: 1 })),
  anyPng('whose pixels unpack to 500 MB', () => png({ pixels: packedMuch(500) })),
  anyPng('with a million bytes of pixels, each in a chunk', () => {
    const pixels = deflateSync(zeros(17 * 16));
    return Buffer.concat([
      png().subarray(0, 33),
      ...[...pixels].map((byte) => chunk('IDAT', Buffer.from([byte]))),
      chunk('IEND', zeros(0)),
    ]);
  }),
  anyPng('with a palette of 10 MB', () => png({ colour: 3, before: [chunk('PLTE', zeros(9 * MB))] })),
  anyPng('with two palettes', () =>
    png({ colour: 3, before: [chunk('PLTE', zeros(3)), chunk('PLTE', zeros(6))] }),
  ),
  anyPng('with colours but no palette', () => png({ colour: 3 })),
  anyPng('with more transparency than palette', () =>
    png({ colour: 3, before: [chunk('PLTE', zeros(3)), chunk('tRNS', zeros(256))] }),
  ),
  okPng('with two headers', () => png({ before: [png().subarray(8, 33)] })),
  badPng('whose header is not first', () =>
    Buffer.concat([PNG_SIGNATURE, chunk('tEXt', text('a\0b')), png().subarray(8)]),
  ),
  badPng('with a header of 1 MB', () =>
    Buffer.concat([PNG_SIGNATURE, chunk('IHDR', zeros(MB)), png().subarray(33)]),
  ),
  badPng('of 24,000 × 2,000', () => png({ width: 24_000, height: 2_000, pixels: zeros(0) })),
  badPng('that is interlaced, 16 bit and 40 megapixels', () =>
    png({ width: 6400, height: 6300, depth: 16, colour: 6, interlaced: true, pixels: packedMuch(8) }),
  ),
  badPng('of an unknown kind of colour', () => png({ colour: 5 })),
  badPng('with three bits a colour', () => png({ depth: 3 })),
];

const okJpeg = of(JPEG, 'harmless');
const badJpeg = of(JPEG, 'refused');
const anyJpeg = of(JPEG, 'either');
const JFIF = Buffer.concat([text('JFIF\0\x01\x02\0'), u16(1), u16(1)]);
const exifOf = (tiff: Buffer) => segment(0xe1, Buffer.concat([text('Exif\0\0'), tiff]));
const profile = (n: number, of: number, data: Buffer) =>
  segment(0xe2, Buffer.concat([text('ICC_PROFILE\0'), Buffer.from([n, of]), data]));
const behind = (...more: Buffer[]) => Buffer.concat([fixture('slide.jpg'), ...more]);
const inScan = (...more: Buffer[]) => {
  const whole = fixture('slide.jpg');
  return Buffer.concat([whole.subarray(0, -2), ...more, whole.subarray(-2)]);
};
const JPEG_BOMBS: Hostile[] = [
  okJpeg('with 250 comments of 64 KB', () => jpegWith(...many(250, () => segment(0xfe, zeros(65_533))))),
  okJpeg('with 1,000,000 empty comments', () => jpegWith(Buffer.alloc(4_000_000, segment(0xfe, zeros(0))))),
  okJpeg('with 1,000,000 empty comments behind its scan', () =>
    inScan(Buffer.alloc(4_000_000, segment(0xfe, zeros(0)))),
  ),
  okJpeg('with 16 MB of colour profile', () =>
    jpegWith(...many(250, (n) => profile(n + 1, 250, zeros(65_000)))),
  ),
  okJpeg('with 255 parts of a profile, all the first', () =>
    jpegWith(...many(255, () => profile(1, 255, zeros(100)))),
  ),
  okJpeg('with a profile of part 9 of 3', () => jpegWith(profile(9, 3, zeros(100)))),
  okJpeg('with a profile of nothing but text', () => jpegWith(profile(1, 1, Buffer.alloc(60_000, 'x')))),
  okJpeg('with EXIF whose directory lies behind its end', () =>
    jpegWith(exifOf(Buffer.concat([text('MM\0*'), u32(0xfffffff0)]))),
  ),
  okJpeg('with EXIF whose directories form a circle', () =>
    jpegWith(exifOf(Buffer.concat([text('MM\0*'), u32(8), u16(1), u16(0x8769), u16(4), u32(1, 8), u32(8)]))),
  ),
  okJpeg('with EXIF of 65,535 entries that are not there', () =>
    jpegWith(exifOf(Buffer.concat([text('II*\0\x08\0\0\0'), Buffer.from([0xff, 0xff]), zeros(64)]))),
  ),
  okJpeg('with 300 pieces of EXIF', () => jpegWith(...many(300, () => exifOf(zeros(60_000))))),
  okJpeg('with EXIF that says it is turned in an unknown way', () =>
    jpegWith(
      exifOf(Buffer.concat([text('MM\0*'), u32(8), u16(1), u16(0x112), u16(3), u32(1), u16(77), zeros(6)])),
    ),
  ),
  okJpeg('with 200 pieces of XMP', () =>
    jpegWith(
      ...many(200, () =>
        segment(0xe1, Buffer.concat([text('http://ns.adobe.com/xap/1.0/\0'), Buffer.alloc(60_000, '<')])),
      ),
    ),
  ),
  okJpeg('with 200 pieces of Photoshop data', () =>
    jpegWith(
      ...many(200, () => segment(0xed, Buffer.concat([text('Photoshop 3.0\x008BIM'), zeros(60_000)]))),
    ),
  ),
  okJpeg('with a thumbnail larger than itself', () =>
    jpegWith(segment(0xe0, Buffer.concat([JFIF, Buffer.from([255, 255]), zeros(60_000)]))),
  ),
  okJpeg('with a thumbnail that is not there', () =>
    jpegWith(segment(0xe0, Buffer.concat([JFIF, Buffer.from([255, 255])]))),
  ),
  okJpeg('with 100 further pictures behind it', () => behind(...many(100, () => fixture('slide.jpg')))),
  okJpeg('with 15 MB of zeros behind it', () => behind(zeros(15 * MB))),
  okJpeg('with a million FF before its first segment', () => jpegWith(Buffer.alloc(1_000_000, 0xff))),
  okJpeg('with a million starts', () => jpegWith(Buffer.alloc(2_000_000, Buffer.from('ffd8', 'hex')))),
  okJpeg('with every segment that an application may have', () =>
    jpegWith(...many(16, (n) => segment(0xe0 + n, text('unknown')))),
  ),
  anyJpeg('that repeats its tables 10,000 times', () => {
    const whole = fixture('slide.jpg');
    const at = whole.indexOf(Buffer.from('ffdb', 'hex'));
    return jpegWith(...many(10_000, () => whole.subarray(at, at + 2 + whole.readUInt16BE(at + 2))));
  }),
  anyJpeg('with a million restart markers behind its scan', () =>
    inScan(Buffer.alloc(2_000_000, Buffer.from('ffd0', 'hex'))),
  ),
  anyJpeg('with 10 MB of nothing in its scan', () => inScan(zeros(10 * MB))),
  anyJpeg('with 10 MB of stuffed bytes in its scan', () =>
    inScan(Buffer.alloc(10 * MB, Buffer.from('ff00', 'hex'))),
  ),
  anyJpeg('that says its colours are not its colours', () =>
    jpegWith(segment(0xee, Buffer.concat([text('Adobe'), u16(100), u16(0), u16(0), Buffer.from([0])]))),
  ),
  badJpeg('without a scan', () =>
    Buffer.concat([fixture('slide.jpg').subarray(0, 200), Buffer.from('ffd9', 'hex')]),
  ),
  badJpeg('of 16,384 × 16,384 by its header', () => jpegOfSize(16_384, 16_384)),
  badJpeg('of 20,000 × 1', () => jpegOfSize(20_000, 1)),
  badJpeg('with junk between its segments', () => jpegWith(text('junk'))),
  badJpeg('with a segment longer than the file', () =>
    jpegWith(Buffer.from('ffe1ffff', 'hex')).subarray(0, 500),
  ),
];

export const PICTURE_BOMBS: readonly Hostile[] = [...PNG_BOMBS, ...JPEG_BOMBS];

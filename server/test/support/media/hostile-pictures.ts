// Files that claim to be images: other formats in disguise, polyglots, bombs, broken ones.
import { deflateSync } from 'node:zlib';
import type { Hostile } from './hostile-media.js';
import {
  box,
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

const HTML = text('<!doctype html><script>alert(document.cookie)</script>');
const ZIP = Buffer.concat([text('PK\x05\x06'), zeros(18)]);
const SVG = text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
const GIF = Buffer.from('47494638396101000100800000000000ffffff2c00000000010001000002024401003b', 'hex');
const WEBP = Buffer.from('524946461a000000574542505650384c0d0000002f00000010071011118888fe0700', 'hex');
const bmffPicture = (brand: string) =>
  Buffer.concat([box('ftyp', text(brand), u32(0), text('mif1')), box('meta', u32(0))]);
const half = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);
const zeroBomb = (megabytes: number) => deflateSync(zeros(megabytes * 1024 * 1024), { level: 9 });

const PNG = 'image/png';
const JPEG = 'image/jpeg';
const refused = (title: string, contentType: string, bytes: () => Buffer): Hostile => ({
  title,
  contentType,
  bytes,
  expected: 'refused',
});
const harmless = (title: string, contentType: string, bytes: () => Buffer): Hostile => ({
  title,
  contentType,
  bytes,
  expected: 'harmless',
});

const DISGUISED: Hostile[] = [
  refused('HTML that says it is JPEG', JPEG, () => HTML),
  refused('HTML that says it is PNG', PNG, () => HTML),
  refused('SVG that says it is PNG', PNG, () => SVG),
  refused('JavaScript that says it is JPEG', JPEG, () => text('alert(1)//')),
  refused('GIF that says it is PNG', PNG, () => GIF),
  refused('GIF that is JavaScript too, and says it is JPEG', JPEG, () => text('GIF89a/*...*/=1;alert(1)')),
  refused('JPEG that says it is PNG', PNG, () => fixture('slide.jpg')),
  refused('PNG that says it is JPEG', JPEG, () => fixture('slide.png')),
  refused('WebP that says it is PNG', PNG, () => WEBP),
  refused('AVIF that says it is JPEG', JPEG, () => bmffPicture('avif')),
  refused('HEIC that says it is JPEG', JPEG, () => bmffPicture('heic')),
  refused('TIFF that says it is JPEG', JPEG, () =>
    Buffer.concat([text('II*\0'), u32(0x08000000), zeros(16)]),
  ),
  refused('BMP that says it is PNG', PNG, () => Buffer.concat([text('BM'), u32(0x46000000), zeros(64)])),
  refused('PDF that says it is JPEG', JPEG, () => text('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj')),
  refused('ZIP that says it is PNG', PNG, () => ZIP),
  refused('gzip that says it is PNG', PNG, () => Buffer.from('1f8b0800000000000003030000000000', 'hex')),
  refused('ELF program that says it is PNG', PNG, () =>
    Buffer.concat([text('\x7fELF\x02\x01\x01'), zeros(57)]),
  ),
  refused('Windows program that says it is JPEG', JPEG, () => Buffer.concat([text('MZ'), zeros(126)])),
  refused('MP4 that says it is PNG', PNG, () => fixture('tiny.mp4')),
  refused('PNG after a line of HTML', PNG, () => Buffer.concat([HTML, png()])),
  refused('no bytes at all', PNG, () => zeros(0)),
  refused('one byte', JPEG, () => Buffer.from([0xff])),
  refused('a PNG signature with HTML after it', PNG, () => Buffer.concat([PNG_SIGNATURE, HTML])),
  refused('a JPEG start with HTML after it', JPEG, () =>
    Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), HTML]),
  ),
];

// Served with a fixed type, `nosniff` and as an attachment, so the extra content is never interpreted.
const TWO_THINGS: Hostile[] = [
  harmless('PNG with HTML after its end, which no decoder reads', PNG, () => Buffer.concat([png(), HTML])),
  harmless('PNG with HTML in a tEXt chunk, which is a comment', PNG, () =>
    png({ before: [chunk('tEXt', Buffer.concat([text('Comment\0'), HTML]))] }),
  ),
  harmless('PNG with a PDF in a chunk of its own, which is skipped', PNG, () =>
    png({ before: [chunk('pdFf', text('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj'))] }),
  ),
  harmless('JPEG with PHP in its comment, which nothing here executes', JPEG, () =>
    jpegWith(segment(0xfe, text('<?php system($_GET["c"]); ?>'))),
  ),
  harmless('JPEG that is JavaScript too, by a segment as long as "/*" says', JPEG, () =>
    jpegWith(
      segment(0xe0, Buffer.concat([text('JFIF\0\x01\x01\0\0\x01\0\x01\0\0'), zeros(0x2f2a - 16)])),
      segment(0xfe, text('*/=alert(1)/*')),
    ),
  ),
  harmless('JPEG with a ZIP after its end, which no decoder reads', JPEG, () =>
    Buffer.concat([fixture('slide.jpg'), ZIP]),
  ),
];

const BOMBS: Hostile[] = [
  refused('PNG of 65,535 × 65,535 by its header', PNG, () =>
    png({ width: 65_535, height: 65_535, pixels: zeroBomb(1) }),
  ),
  refused('PNG of 2^31-1 × 1', PNG, () => png({ width: 0x7fffffff, height: 1, pixels: zeroBomb(1) })),
  refused('PNG of 8,000 × 8,000, all zeros', PNG, () => png({ width: 8000, height: 8000, depth: 1 })),
  refused('PNG of 7,000 × 7,000, interlaced, 16 bit', PNG, () =>
    png({ width: 7000, height: 7000, depth: 16, colour: 6, interlaced: true, pixels: zeroBomb(16) }),
  ),
  refused('PNG of 7,000 × 7,000 to be turned by a quarter, 16 bit', PNG, () =>
    png({ width: 7000, height: 7000, depth: 16, colour: 6, before: [TURN], pixels: zeroBomb(16) }),
  ),
  harmless('PNG of 16 × 16 whose pixels unpack to 64 MB: the decoder stops after 16 lines', PNG, () =>
    png({ pixels: zeroBomb(64) }),
  ),
  harmless('PNG with a text that unpacks to 64 MB: texts over the decoder’s limit are skipped', PNG, () =>
    png({ before: [chunk('zTXt', Buffer.concat([text('Comment\0\0'), zeroBomb(64)]))] }),
  ),
  harmless('PNG with a colour profile that unpacks to 64 MB: it is no profile and is left out', PNG, () =>
    png({ before: [chunk('iCCP', Buffer.concat([text('icc\0\0'), zeroBomb(64)]))] }),
  ),
  refused('JPEG of 65,535 × 65,535 by its header', JPEG, () => jpegOfSize(65_535, 65_535)),
  refused('JPEG of 8,000 × 8,000 by its header', JPEG, () => jpegOfSize(8000, 8000)),
  refused('JPEG in 20,000 passes over 16 megapixels', JPEG, () => progressiveJpeg(4096, 4096, 20_000)),
  refused('progressive JPEG of 49 megapixels in full colour', JPEG, () => progressiveJpeg(7000, 7000, 1, 3)),
];

const BROKEN: Hostile[] = [
  refused('PNG of 0 × 0', PNG, () => png({ width: 0, height: 0 })),
  refused('PNG whose pixels have a wrong checksum', PNG, () => png({ pixelsCrc: 0xdeadbeef })),
  refused('PNG whose pixels are not compressed data', PNG, () =>
    png({ pixels: text('not compressed at all') }),
  ),
  refused('PNG with fewer lines than it says', PNG, () =>
    png({ height: 400, pixels: deflateSync(zeros(17 * 16)) }),
  ),
  refused('PNG without pixels', PNG, () => png().subarray(0, 33)),
  refused('PNG cut in the middle', PNG, () => half(fixture('slide.png'))),
  refused('PNG with a chunk of 4 GB by its length', PNG, () =>
    png({ before: [Buffer.concat([u32(0xffffffff), text('tEXt'), HTML])] }),
  ),
  refused('JPEG of 0 × 0', JPEG, () => jpegOfSize(0, 0)),
  refused('JPEG cut in the middle', JPEG, () => half(fixture('slide.jpg'))),
  refused('JPEG that ends before its frame header', JPEG, () => fixture('slide.jpg').subarray(0, 24)),
  refused('JPEG with a segment of no length', JPEG, () => jpegWith(Buffer.from('ffe10000', 'hex'))),
  refused('JPEG with two frame headers', JPEG, () => jpegWith(frame(0xc0, 16, 16, 1))),
];

/** EXIF in a PNG that says: rotate by 90°. */
const TURN = chunk(
  'eXIf',
  Buffer.concat([text('MM\0*'), u32(8), u16(1), u16(0x0112), u16(3), u32(1), u16(6), u16(0), u32(0)]),
);

function frame(marker: number, width: number, height: number, components: number): Buffer {
  const each = Array.from({ length: components }, (_, i) => Buffer.from([i + 1, 0x11, 0]));
  return segment(
    marker,
    Buffer.concat([Buffer.from([8]), u16(height), u16(width), Buffer.from([components]), ...each]),
  );
}

/** Every pass is a few bytes, and makes a decoder process all pixels once more. */
function progressiveJpeg(width: number, height: number, passes: number, components = 1): Buffer {
  const quantization = segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)]));
  const huffman = (kind: number) =>
    segment(0xc4, Buffer.concat([Buffer.from([kind, 1]), zeros(15), Buffer.from([0])]));
  const first = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 0, 0, 1])), zeros(8)]);
  const again = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0])), zeros(2)]);
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    quantization,
    frame(0xc2, width, height, components),
    huffman(0x00),
    huffman(0x10),
    first,
    ...Array.from({ length: passes }, () => again),
    Buffer.from('ffd9', 'hex'),
  ]);
}

export const HOSTILE_PICTURES: Hostile[] = [...DISGUISED, ...TWO_THINGS, ...BOMBS, ...BROKEN];

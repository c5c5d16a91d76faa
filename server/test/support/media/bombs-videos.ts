// Videos that are small and take much to read, or whose boxes lie about each other, made in families: each for MP4 and for QuickTime,
// and others for WebM.
import type { Hostile } from './hostile-media.js';
import { fragmentedMp4, mp4, nested, run } from './mp4.js';
import { box, boxOfSize, element, GIANT_SIZE, sizeOf, text, UNKNOWN_SIZE, u32, u64, zeros } from './parts.js';
import { cluster, webm } from './webm.js';

const MB = 1024 * 1024;
const MANY = 0xffffffff;
const MANY_TABLES = [
  'stts',
  'ctts',
  'stsc',
  'stsz',
  'stco',
  'stss',
  'stsd',
  'sbgp',
  'sgpd',
  'sdtp',
  'subs',
  'elst',
];

/** Bytes of a video in either format: QuickTime has another brand. */
type Make = (brand: Buffer) => Buffer;
const BRANDS = [
  ['MP4', 'video/mp4', Buffer.concat([text('isom'), u32(512), text('isommp41')])],
  ['QuickTime', 'video/quicktime', Buffer.concat([text('qt  '), u32(512), text('qt  ')])],
] as const;
const withBrand = (bytes: Buffer, brand: Buffer) => {
  const first = bytes.readUInt32BE(0);
  return Buffer.concat([box('ftyp', brand), bytes.subarray(first)]);
};

const FAMILIES: [title: string, make: Make][] = [
  ...MANY_TABLES.map((name): [string, Make] => [
    `with 2^32-1 entries in ${name}, and 4 MB of them there`,
    (brand) => mp4({ brand, tables: { [name]: box(name, u32(0, MANY), zeros(4 * MB)) } }),
  ]),
  ...['udta', 'meta', 'uuid', 'ilst', 'free'].map((name): [string, Make] => [
    `with 8 MB of ${name} in its index`,
    (brand) => mp4({ brand, more: [box(name, zeros(8 * MB))] }),
  ]),
  ...['meta', 'udta', 'trak', 'moov', 'moof', 'edts'].map((name): [string, Make] => [
    `with 20,000 ${name} inside each other in its index`,
    (brand) => mp4({ brand, more: [nested(name, 20_000)] }),
  ]),
  [
    'with 20,000 tracks',
    (brand) => mp4({ brand, more: [Buffer.alloc(20_000 * 16, box('trak', box('tkhd')))] }),
  ],
  [
    'with 100,000 keys in its metadata',
    (brand) => mp4({ brand, more: [box('meta', u32(0), Buffer.alloc(1_600_000, box('keys', u32(0, 1))))] }),
  ],
  [
    'with 10 samples of 4 GB each',
    (brand) => mp4({ brand, tables: { stsz: box('stsz', u32(0, MANY, 10)) } }),
  ],
  [
    'with a sample at every byte',
    (brand) =>
      mp4({
        brand,
        tables: { stsz: box('stsz', u32(0, 1, 4_000_000)), stts: box('stts', u32(0, 1, 4_000_000, 1)) },
      }),
  ],
  [
    'with 16 million samples of no size',
    (brand) =>
      mp4({
        brand,
        tables: {
          stsz: box('stsz', u32(0, 0, 16_000_000), zeros(4 * MB)),
          stts: box('stts', u32(0, 1, 16_000_000, 1)),
        },
      }),
  ],
  [
    'with negative times',
    (brand) => mp4({ brand, tables: { ctts: box('ctts', u32(0x01000000, 1, 10, 0x80000000)) } }),
  ],
  [
    'with an offset of 2^63',
    (brand) => mp4({ brand, tables: { stco: box('co64', u32(0, 1), u64(2n ** 63n)) } }),
  ],
  [
    'with its index twice',
    (brand) => mp4({ brand, wrap: ({ ftyp, moov, mdat }) => [ftyp, mdat, moov, moov] }),
  ],
  [
    'with its index 2,000 times',
    (brand) => mp4({ brand, wrap: ({ ftyp, moov, mdat }) => [ftyp, mdat, ...Array(2000).fill(moov)] }),
  ],
  [
    'with 5,000 fragments that point at each other',
    (brand) =>
      withBrand(
        Buffer.concat([
          fragmentedMp4([run(1)]),
          Buffer.alloc(5_000 * 32, box('moof', box('traf', box('tfhd', u32(0, 1))))),
        ]),
        brand,
      ),
  ],
  ['with a million samples in a run', (brand) => withBrand(fragmentedMp4([run(1_000_000)]), brand)],
  [
    'with 100,000 runs',
    (brand) => withBrand(fragmentedMp4(Array.from({ length: 100_000 }, () => run(1))), brand),
  ],
  [
    'whose index ends in the middle of a box',
    (brand) =>
      mp4({ brand, wrap: ({ ftyp, moov, mdat }) => [ftyp, mdat, moov.subarray(0, moov.length - 20)] }),
  ],
  ['whose track says it has 4 GB', (brand) => mp4({ brand, more: [boxOfSize(MANY, 'trak')] })],
  [
    'with boxes that are one byte too long',
    (brand) => mp4({ brand, more: [boxOfSize(17, 'udta', box('name'))] }),
  ],
  ['of 2^32-1 ticks a second', (brand) => mp4({ brand, timescale: MANY })],
  ['of 16,385 × 1', (brand) => mp4({ brand, width: 16_385, height: 1 })],
  ['with a matrix of zeros', (brand) => mp4({ brand, matrix: zeros(36) })],
  ['with a matrix of ones', (brand) => mp4({ brand, matrix: Buffer.alloc(36, 0xff) })],
  [
    'with a packed index',
    (brand) =>
      mp4({
        brand,
        wrap: ({ ftyp, mdat }) => [
          ftyp,
          mdat,
          box('moov', box('cmov', box('dcom', text('zlib')), box('cmvd', u32(MANY), zeros(64)))),
        ],
      }),
  ],
];

const either = (title: string, contentType: string, bytes: () => Buffer): Hostile => ({
  title,
  contentType,
  bytes,
  expected: 'either',
});

const WEBM_FAMILIES: [title: string, make: () => Buffer][] = [
  ...['1254c367', '1941a469', '1043a770', '114d9b74', '1c53bb6b', 'ec'].map((id): [string, () => Buffer] => [
    `with 8 MB in the element ${id}`,
    () => webm({ more: [element(id, zeros(8 * MB))] }),
  ]),
  ...['1254c367', '1654ae6b', '1549a966', '18538067', '1043a770'].map((id): [string, () => Buffer] => [
    `with 5,000 elements ${id} inside each other`,
    () => webm({ more: [deep(id, 5_000)] }),
  ]),
  ...['1f43b675', '1654ae6b', '1549a966', '1254c367', '1c53bb6b'].map((id): [string, () => Buffer] => [
    `with 50,000 empty elements ${id}`,
    () => webm({ more: [Buffer.alloc(50_000 * 12, element(id, zeros(0)))] }),
  ]),
  ...['1f43b675', '1654ae6b', '1549a966', '1254c367', '1c53bb6b', '114d9b74'].map(
    (id): [string, () => Buffer] => [
      `with an element ${id} of 2^48 bytes before its frames`,
      () => webm({ more: [element(id, zeros(8), GIANT_SIZE)] }),
    ],
  ),
  [
    'with 100,000 tracks',
    () =>
      webm({
        more: [
          element('1654ae6b', Buffer.alloc(100_000 * 12, element('ae', element('d7', Buffer.from([1]))))),
        ],
      }),
  ],
  ['with 2,000 clusters', () => webm({ clusters: Array(2000).fill(cluster()) })],
  [
    'with 2,000 clusters of unknown size',
    () => webm({ segmentSize: UNKNOWN_SIZE, clusters: Array(2000).fill(cluster(UNKNOWN_SIZE)) }),
  ],
  [
    'without a duration, in 20,000 clusters',
    () => webm({ duration: null, clusters: Array(20_000).fill(cluster()) }),
  ],
  [
    'with a cue for every byte',
    () =>
      webm({
        more: [element('1c53bb6b', Buffer.alloc(1_000_000, element('bb', element('b3', Buffer.from([1])))))],
      }),
  ],
  ['with a codec of 8 MB', () => webm({ codec: 'V_VP8'.padEnd(8 * MB, 'x') })],
  [
    'with a track number of eight bytes',
    () => webm({ more: [element('1654ae6b', element('ae', element('d7', Buffer.alloc(8, 0xff))))] }),
  ],
  ['with a duration of no bytes', () => webm({ more: [element('1549a966', element('4489', zeros(0)))] })],
  [
    'with an integer of 200 bytes',
    () => webm({ more: [element('1549a966', element('2ad7b1', Buffer.alloc(200, 1)))] }),
  ],
  ['with a scale of zero', () => webm({ more: [element('1549a966', element('2ad7b1', zeros(3)))] })],
  ['with two heads', () => Buffer.concat([webm().subarray(0, 40), webm()])],
  ['with two segments', () => Buffer.concat([webm(), webm().subarray(40)])],
  ['with frames of no track', () => webm({ clusters: [element('1f43b675', element('a3', zeros(8)))] })],
  [
    'with frames that are laced 255 times',
    () =>
      webm({
        clusters: [
          element(
            '1f43b675',
            element('a3', Buffer.concat([Buffer.from([0x81, 0, 0, 0x06, 0xff]), zeros(4)])),
          ),
        ],
      }),
  ],
  [
    'whose size takes nine bytes',
    () => webm({ more: [Buffer.concat([Buffer.from('ec00', 'hex'), zeros(8)])] }),
  ],
  ['with 8 MB of FF in place of frames', () => webm({ clusters: [Buffer.alloc(8 * MB, 0xff)] })],
];

/** Elements of one kind inside each other, each with its size in eight bytes. */
function deep(id: string, depth: number): Buffer {
  const each = id.length / 2 + 8;
  return Buffer.concat(
    Array.from({ length: depth }, (_, n) =>
      Buffer.concat([Buffer.from(id, 'hex'), sizeOf((depth - n - 1) * each)]),
    ),
  );
}

export const VIDEO_BOMBS: readonly Hostile[] = [
  ...BRANDS.flatMap(([name, type, brand]) =>
    FAMILIES.map(([title, make]) => either(`${name} ${title}`, type, () => make(brand))),
  ),
  ...WEBM_FAMILIES.map(([title, make]) => either(`WebM ${title}`, 'video/webm', make)),
];

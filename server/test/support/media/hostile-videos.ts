// Files that claim to be videos: other formats in disguise, absurd tables, boxes with false sizes.
import type { Hostile } from './hostile-media.js';
import { fragmentedMp4, type Mp4Plan, mp4, nested, run } from './mp4.js';
import {
  box,
  boxOfSize,
  element,
  fixture,
  GIANT_SIZE,
  sizeOf,
  text,
  UNKNOWN_SIZE,
  u32,
  u64,
  zeros,
} from './parts.js';
import { cluster, webm } from './webm.js';

const MANY = 0xffffffff;
/** More than the inspection may read of a file. */
const BIG = 66 * 1024 * 1024;
const HTML = text('<!doctype html><script>alert(document.cookie)</script>');

const MP4 = 'video/mp4';
const MOV = 'video/quicktime';
const WEBM = 'video/webm';
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
const badMp4 = (title: string, plan: Mp4Plan) => refused(`MP4 ${title}`, MP4, () => mp4(plan));

const DISGUISED: Hostile[] = [
  refused('text that says it is MP4', MP4, () => text('just some words')),
  refused('HTML that says it is WebM', WEBM, () => HTML),
  refused('ELF program that says it is MP4', MP4, () =>
    Buffer.concat([text('\x7fELF\x02\x01\x01'), zeros(57)]),
  ),
  refused('no bytes at all, as a video', MP4, () => zeros(0)),
  refused('one byte, as a video', WEBM, () => Buffer.from([0x1a])),
  refused('MP4 that says it is WebM', WEBM, () => fixture('tiny.mp4')),
  refused('WebM that says it is MP4', MP4, () => fixture('tiny.webm')),
  refused('MP4 that says it is QuickTime', MOV, () => fixture('tiny.mp4')),
  refused('QuickTime that says it is MP4', MP4, () => fixture('tiny.mov')),
  refused('Matroska that says it is WebM', WEBM, () => webm({ docType: 'matroska' })),
  refused('EBML of an unknown kind', WEBM, () => webm({ docType: 'html' })),
  refused('M4A that says it is MP4', MP4, () => mp4({ kind: 'soun', brand: text('M4A \0\0\0\0') })),
  refused('PNG that says it is MP4', MP4, () => fixture('slide.png')),
  refused('playlist that says it is MP4', MP4, () => text('#EXTM3U\n#EXTINF:10,\nhttp://169.254.169.254/\n')),
  refused('AVI that says it is MP4', MP4, () =>
    Buffer.concat([text('RIFF'), u32(64), text('AVI LIST'), zeros(64)]),
  ),
  refused('an ftyp box with HTML and nothing else', MP4, () => box('ftyp', text('isom\0\0\0\0'), HTML)),
];

// Served with a fixed type, `nosniff` and as an attachment, so the extra content is never interpreted.
const TWO_THINGS: Hostile[] = [
  harmless('MP4 with HTML among its brands, which no program displays', MP4, () =>
    mp4({ brand: Buffer.concat([text('isom\0\0\x02\0isom'), HTML]) }),
  ),
  harmless('MP4 with HTML in a free box, which is skipped', MP4, () =>
    mp4({ wrap: ({ ftyp, moov, mdat }) => [ftyp, mdat, box('free', HTML), moov] }),
  ),
  harmless('MP4 with a ZIP after its end, which no player reads', MP4, () =>
    Buffer.concat([mp4(), text('PK\x05\x06'), zeros(18)]),
  ),
  harmless('WebM with HTML in a void element, which is skipped', WEBM, () =>
    webm({ more: [element('ec', HTML)] }),
  ),
];

const TABLES: Hostile[] = [
  badMp4('with 2^32-1 sample sizes', { tables: { stsz: box('stsz', u32(0, 0, MANY)) } }),
  badMp4('with 2^32-1 small sample sizes', { tables: { stsz: box('stz2', u32(0, 4, MANY)) } }),
  badMp4('with 2^32-1 entries of times', { tables: { stts: box('stts', u32(0, MANY, 1, 1)) } }),
  badMp4('with one entry for 2^32-1 samples, to be sorted', {
    tables: { stts: box('stts', u32(0, 1, MANY, 1)), ctts: box('ctts', u32(0, 1, MANY, 5)) },
  }),
  badMp4('with 2^32-1 offsets of times', { tables: { ctts: box('ctts', u32(0, MANY, 1, 1)) } }),
  badMp4('with 2^32-1 chunks of samples', { tables: { stsc: box('stsc', u32(0, MANY, 1, 1, 1)) } }),
  badMp4('with 2^32-1 chunk offsets', { tables: { stco: box('stco', u32(0, MANY, 48)) } }),
  badMp4('with 2^32-1 wide chunk offsets', { tables: { stco: box('co64', u32(0, MANY), u64(48n)) } }),
  badMp4('with 2^32-1 key frames', { tables: { stss: box('stss', u32(0, MANY, 1)) } }),
  badMp4('with 2^32-1 codecs', { tables: { stsd: box('stsd', u32(0, MANY)) } }),
  badMp4('whose samples lie behind its end', { tables: { stco: box('stco', u32(0, 1, 1 << 30)) } }),
  badMp4('with an index that has no samples', {
    tables: { stts: box('stts', u32(0, 0)), stsz: box('stsz', u32(0, 0, 0)) },
  }),
  refused('MP4 with 2^32-1 samples in a fragment of 20 bytes', MP4, () => fragmentedMp4([run(MANY)])),
  refused('MP4 with 2^32-1 samples in each of 1,000 runs', MP4, () =>
    fragmentedMp4(Array.from({ length: 1000 }, () => run(MANY))),
  ),
  refused('MP4 in fragments, without any', MP4, () => fragmentedMp4(null)),
  refused('MP4 in fragments, without samples', MP4, () => fragmentedMp4([run(0)])),
];

const BOXES: Hostile[] = [
  badMp4('whose index says it has 4 GB', {
    wrap: ({ ftyp, mdat, moov }) => [ftyp, mdat, boxOfSize(MANY, 'moov', moov.subarray(8))],
  }),
  badMp4('whose index says it has 2^64-1 bytes', {
    wrap: ({ ftyp, mdat, moov }) => [ftyp, mdat, boxOfSize(1, 'moov', u64(2n ** 64n - 1n), moov.subarray(8))],
  }),
  refused('MP4 with an index of 66 MB', MP4, () =>
    mp4({
      wrap: ({ ftyp, moov }) => [
        ftyp,
        boxOfSize(moov.length + BIG + 8, 'moov', moov.subarray(8)),
        boxOfSize(BIG + 8, 'free'),
        zeros(BIG),
      ],
    }),
  ),
  badMp4('with 10,000 boxes inside each other', {
    wrap: ({ ftyp }) => [ftyp, box('moov', nested('mdia', 10_000))],
  }),
  badMp4('with 10,000 tracks inside each other', {
    wrap: ({ ftyp }) => [ftyp, box('moov', nested('trak', 10_000))],
  }),
  badMp4('with a box of no length before its index', {
    wrap: ({ ftyp, mdat, moov }) => [ftyp, boxOfSize(0, 'free'), mdat, moov],
  }),
  badMp4('with a box of length 4 before its index', {
    wrap: ({ ftyp, mdat, moov }) => [ftyp, boxOfSize(4, 'free'), mdat, moov],
  }),
  badMp4('with a wide length of 0', {
    wrap: ({ ftyp, mdat, moov }) => [ftyp, boxOfSize(1, 'free', u64(0n)), mdat, moov],
  }),
  badMp4('with boxes of no length in its index', { wrap: ({ ftyp }) => [ftyp, box('moov', zeros(4096))] }),
  badMp4('with a million empty boxes and no index', {
    wrap: ({ ftyp }) => [ftyp, Buffer.alloc(8_000_000, box('free'))],
  }),
  badMp4('without an index', { wrap: ({ ftyp, mdat }) => [ftyp, mdat] }),
  badMp4('with nothing but its first box', { wrap: ({ ftyp }) => [ftyp] }),
  badMp4('with sound alone', { kind: 'soun' }),
  badMp4('with an unknown codec', { codec: 'evil' }),
  badMp4('of 2^64-1 ticks', { duration: 2n ** 64n - 1n, tables: { stts: box('stts', u32(0, 1, 10, MANY)) } }),
  badMp4('with no ticks in a second', { timescale: 0 }),
  badMp4('of 0 × 0', { width: 0, height: 0 }),
  badMp4('of 65,535 × 65,535', { width: 65_535, height: 65_535 }),
  refused('QuickTime with 10,000 boxes inside each other', MOV, () => box('moov', nested('minf', 10_000))),
  refused('MP4 cut in the middle', MP4, () => fixture('tiny.mp4').subarray(0, 19_000)),
];

const ELEMENTS: Hostile[] = [
  harmless('WebM with unknown sizes, as live recordings have', WEBM, () =>
    webm({ segmentSize: UNKNOWN_SIZE, clusters: [cluster(UNKNOWN_SIZE)] }),
  ),
  harmless('WebM whose segment says it has 2^48 bytes: reading ends where the file ends', WEBM, () =>
    webm({ segmentSize: GIANT_SIZE }),
  ),
  refused('WebM whose frames claim to have 2^48 bytes', WEBM, () =>
    webm({ clusters: [cluster(GIANT_SIZE)] }),
  ),
  refused('WebM whose head says it has 2^48 bytes', WEBM, () =>
    Buffer.concat([element('1a45dfa3', element('4282', text('webm')), GIANT_SIZE), webm().subarray(40)]),
  ),
  refused('WebM with tracks of 2^48 bytes', WEBM, () =>
    webm({ more: [], clusters: [element('1654ae6b', zeros(4), GIANT_SIZE)] }),
  ),
  // Both made the library loop for ever; found by changing bytes at random.
  refused('WebM whose frames have an impossible size', WEBM, () =>
    webm({ clusters: [element('1f43b675', zeros(16), zeros(8))] }),
  ),
  refused('WebM with junk in place of frames', WEBM, () => webm({ clusters: [text('x'.repeat(40))] })),
  refused('WebM without frames', WEBM, () => webm({ clusters: [] })),
  refused('WebM with sound alone', WEBM, () => webm({ trackType: 'audio' })),
  refused('WebM of infinite duration', WEBM, () => webm({ duration: Number.POSITIVE_INFINITY })),
  refused('WebM whose duration is not a number', WEBM, () => webm({ duration: Number.NaN })),
  refused('WebM of 10^300 seconds', WEBM, () => webm({ duration: 1e303 })),
  refused('WebM of 0 × 0', WEBM, () => webm({ width: 0, height: 0 })),
  refused('WebM with an unknown codec', WEBM, () => webm({ codec: 'V_EVIL' })),
  refused('WebM with an attachment of 66 MB', WEBM, () =>
    Buffer.concat([
      webm({ segmentSize: UNKNOWN_SIZE, clusters: [element('1941a469', zeros(0), sizeOf(BIG))] }),
      zeros(BIG),
    ]),
  ),
  refused('WebM with a head and nothing else', WEBM, () => webm().subarray(0, 40)),
];

export const HOSTILE_VIDEOS: Hostile[] = [...DISGUISED, ...TWO_THINGS, ...TABLES, ...BOXES, ...ELEMENTS];

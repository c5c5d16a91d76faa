// A small MP4 built box by box, so that each of them can be replaced by a bad one.
import { box, boxOfSize, text, u16, u32, u64, zeros } from './parts.js';

export interface Mp4Plan {
  brand?: Buffer;
  width?: number;
  height?: number;
  timescale?: number;
  /** In the headers, 64 bits wide. */
  duration?: bigint;
  /** The display matrix (rotation and scale); nine numbers. */
  matrix?: Buffer;
  kind?: 'vide' | 'soun';
  codec?: string;
  /** Boxes of the sample table by name, in place of the valid ones. */
  tables?: Record<string, Buffer>;
  /** More boxes in the index. */
  more?: Buffer[];
  /** In place of the file's other boxes. */
  wrap?: (parts: { ftyp: Buffer; moov: Buffer; mdat: Buffer }) => Buffer[];
}

const SAMPLES = 10;
const SAMPLE_BYTES = 16;
/** For a phone held upright, whose sensor lies on its side. */
export const QUARTER_TURN = u32(0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000);
const UNITY = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** By default ten frames of 360 × 640 in one second, valid for readers of the index, not for decoders. */
export function mp4(plan: Mp4Plan = {}): Buffer {
  const ftyp = box('ftyp', plan.brand ?? Buffer.concat([text('isom'), u32(512), text('isommp41')]));
  const mdat = box('mdat', zeros(SAMPLES * SAMPLE_BYTES));
  const moov = index(plan, ftyp.length + 8);
  const parts = plan.wrap ? plan.wrap({ ftyp, moov, mdat }) : [ftyp, mdat, moov];
  return Buffer.concat(parts);
}

function index(plan: Mp4Plan, samplesAt: number): Buffer {
  const { timescale = 1000, duration = 1000n, kind = 'vide', width = 360, height = 640 } = plan;
  const times = Buffer.concat([u32(0x01000000), u64(0n), u64(0n)]);
  const mvhd = box(
    'mvhd',
    times,
    u32(timescale),
    u64(duration),
    u32(0x10000),
    zeros(12),
    UNITY,
    zeros(24),
    u32(2),
  );
  const size = u32(width * 0x10000, height * 0x10000);
  const tkhd = box(
    'tkhd',
    u32(0x01000003),
    u64(0n),
    u64(0n),
    u32(1, 0),
    u64(duration),
    zeros(16),
    plan.matrix ?? UNITY,
    size,
  );
  const mdhd = box('mdhd', times, u32(timescale), u64(duration), u32(0x55c40000));
  const hdlr = box('hdlr', u32(0, 0), text(kind), zeros(13));
  const minf = box('minf', sampleTable(plan, width, height, samplesAt));
  const trak = box('trak', tkhd, box('mdia', mdhd, hdlr, minf));
  return box('moov', mvhd, trak, ...(plan.more ?? []));
}

function sampleTable(
  { kind, codec, tables = {} }: Mp4Plan,
  width: number,
  height: number,
  at: number,
): Buffer {
  const entry =
    kind === 'soun'
      ? box(codec ?? 'mp4a', zeros(6), u16(1), zeros(8), u16(2), u16(16), u32(0, 48000 * 0x10000))
      : box(codec ?? 'avc1', zeros(6), u16(1), zeros(16), u16(width), u16(height), zeros(50));
  const good: Record<string, Buffer> = {
    stsd: box('stsd', u32(0, 1), entry),
    stts: box('stts', u32(0, 1, SAMPLES, 100)),
    stsz: box('stsz', u32(0, SAMPLE_BYTES, SAMPLES)),
    stsc: box('stsc', u32(0, 1, 1, SAMPLES, 1)),
    stco: box('stco', u32(0, 1, at)),
  };
  return box('stbl', ...Object.values({ ...good, ...tables }));
}

/** How many samples, and their offset from the fragment's start. */
export const run = (samples: number, at = 92) => box('trun', u32(1, samples, at));

/** In fragments: the index says nothing, each fragment brings its own. `runs` are its `trun` boxes. */
export function fragmentedMp4(runs: Buffer[] | null): Buffer {
  const none = (type: string) => box(type, u32(0, 0));
  const empty = {
    stts: none('stts'),
    stsc: none('stsc'),
    stco: none('stco'),
    stsz: box('stsz', u32(0, 0, 0)),
  };
  const fragment = runs && [
    box(
      'moof',
      box('mfhd', u32(0, 1)),
      box('traf', box('tfhd', u32(0x020000, 1)), box('tfdt', u32(0, 0)), ...runs),
    ),
    box('mdat', zeros(SAMPLES * SAMPLE_BYTES)),
  ];
  return mp4({
    duration: 0n,
    tables: empty,
    more: [box('mvex', box('trex', u32(0, 1, 1, 100, SAMPLE_BYTES, 0)))],
    wrap: ({ ftyp, moov }) => [ftyp, moov, ...(fragment ?? [])],
  });
}

/** `depth` boxes of one kind inside each other. */
export function nested(type: string, depth: number): Buffer {
  const headers = Array.from({ length: depth }, (_, i) => boxOfSize((depth - i) * 8, type));
  return Buffer.concat(headers);
}

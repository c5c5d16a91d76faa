// What an MP4 or QuickTime file holds beside its video and sound: locations, devices, people, comments, previews. Boxes that playing it
// does not need become `free` boxes of the same size.
import { type Headers, Overwrites } from './headers.js';
import { type Overwrite, zeros } from './overwrite.js';

/** By the box they lie in. Every other box is overwritten, such as `udta`, `meta`, `uuid` or one that a camera invented. */
const NEEDED: Record<string, ReadonlySet<string>> = {
  '': words('ftyp styp pdin moov moof mdat mfra sidx ssix wide'),
  moov: words('mvhd trak mvex iods'),
  trak: words('tkhd tapt edts trgr mdia'),
  mdia: words('mdhd hdlr elng minf'),
  minf: words('vmhd smhd hdlr dinf stbl'),
  dinf: words('dref'),
  stbl: words(
    'stsd stts ctts cslg stsc stsz stz2 stco co64 stss stps stsh sdtp padb stdp sbgp sgpd subs saiz saio',
  ),
  moof: words('mfhd traf'),
  traf: words('tfhd tfdt trun sdtp sbgp sgpd subs saiz saio senc'),
};

const FREE = Buffer.from('free');

/** The types of tracks that are played. Others hold data over time, such as where a camera was. */
const PLAYED = words('vide soun');

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

export async function metadataOfMp4(headers: Headers): Promise<Overwrite[]> {
  const found = new Overwrites();
  await walk(headers, '', { content: 0, end: headers.size }, found);
  return found.list.sort((a, b) => a.start - b.start);
}

async function walk(
  headers: Headers,
  parent: string,
  { content, end }: Pick<Box, 'content' | 'end'>,
  found: Overwrites,
  handler = '',
): Promise<void> {
  for await (const box of boxesIn(headers, content, end)) {
    const { type } = box;
    if (type === NO_BOX) found.add(zeros(box.start, box.end));
    else if (!NEEDED[parent]?.has(type)) found.add(...asFree(box));
    else if (type === 'trak') {
      const its = await readHandler(headers, box);
      if (PLAYED.has(its)) await walk(headers, type, box, found, its);
      else {
        found.add(...asFree(box));
        for (const sample of await readSamples(headers, box)) found.add(sample);
      }
    } else if (NEEDED[type]) await walk(headers, type, box, found, handler);
    else found.add(...(await tellingFields(headers, box, handler)));
  }
}

/** The size before the type stays, and one of 64 bits after it. */
const asFree = ({ start, content, end }: Box): Overwrite[] => [
  { start: start + 4, end: start + 8, head: FREE },
  zeros(content, end),
];

async function readHandler(headers: Headers, trak: Box): Promise<string> {
  for await (const mdia of boxesIn(headers, trak.content, trak.end)) {
    if (mdia.type !== 'mdia') continue;
    for await (const { type, content } of boxesIn(headers, mdia.content, mdia.end))
      if (type === 'hdlr') return (await headers.at(content, 12)).toString('latin1', 8, 12);
  }
  // An index in fragments may say no more; it is left to the platform.
  return 'vide';
}

/** When it was recorded, by which device and program, and in which file: within boxes that are needed. */
async function tellingFields(
  headers: Headers,
  { type, content, end }: Box,
  handler: string,
): Promise<Overwrite[]> {
  const found: Overwrite[] = [];
  const hide = (from: number, to: number) => {
    if (from < Math.min(to, end)) found.push(zeros(from, Math.min(to, end)));
  };
  if (type === 'mvhd' || type === 'tkhd' || type === 'mdhd') {
    const isLong = (await headers.at(content, 1))[0] === 1;
    hide(content + 4, content + (isLong ? 20 : 12));
  }
  if (type === 'hdlr') hide(content + 24, end);
  if (type === 'dref')
    for await (const file of boxesIn(headers, content + 8, end)) hide(file.content + 4, file.end);
  // The encoder's name, 32 bytes at a fixed offset.
  if (type === 'stsd' && handler === 'vide')
    for await (const entry of boxesIn(headers, content + 8, end))
      if (entry.end - entry.start >= 86) hide(entry.start + 50, entry.start + 82);
  return found;
}

interface Box {
  type: string;
  start: number;
  /** Where its content begins. */
  content: number;
  end: number;
}

/** The type of what follows the last box: the first bytes that cannot be a box, and all after them. */
const NO_BOX = '';
async function* boxesIn(headers: Headers, start: number, end: number): AsyncGenerator<Box> {
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

// Where the samples of a track lie, by its tables: how many lie together, how large each is, and where each group begins.

/** The length of one table, at most. Hours of locations, one a second, have far less. */
const MAX_BYTES = 4 * 1024 * 1024;
const PATH = ['mdia', 'minf', 'stbl'];

/** Nothing if a table is missing, too large or of a rare kind. Work and result are limited by the length of the tables. */
async function readSamples(headers: Headers, trak: Box): Promise<Overwrite[]> {
  const tables = await readTables(headers, trak);
  const [runs, sizes] = [tables.get('stsc'), tables.get('stsz')];
  const offsets = tables.get('stco') ?? tables.get('co64');
  if (!runs || !sizes || !offsets || sizes.length < 12) return [];
  const takeSamples = sampleSizes(sizes);
  const width = tables.has('stco') ? 4 : 8;
  const found: Overwrite[] = [];
  let run = 0;
  const runCount = runs.readUInt32BE(4);
  const chunkCount = Math.min(offsets.readUInt32BE(4), Math.floor((offsets.length - 8) / width));
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const at = 8 + chunk * width;
    const start = width === 8 ? Number(offsets.readBigUInt64BE(at)) : offsets.readUInt32BE(at);
    // A run holds from its first group on, counted from 1, until the next begins.
    while (run + 1 < runCount && u32(runs, 8 + 12 * (run + 1)) === chunk + 1) run++;
    const end = Math.min(start + takeSamples(u32(runs, 8 + 12 * run + 4)), headers.size);
    const last = found.at(-1);
    if (last?.end === start) last.end = end;
    else if (start < end) found.push(zeros(start, end));
  }
  return found;
}

/** Returns a function that takes the next `count` samples and tells how many bytes they have. */
function sampleSizes(sizes: Buffer): (count: number) => number {
  const [each, total] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)];
  let taken = 0;
  return (count) => {
    const from = taken;
    taken = Math.min(taken + count, each > 0 ? total : Math.min(total, Math.floor((sizes.length - 12) / 4)));
    if (each > 0) return each * (taken - from);
    let bytes = 0;
    for (let sample = from; sample < taken; sample++) bytes += sizes.readUInt32BE(12 + 4 * sample);
    return bytes;
  };
}

/** 0 behind the end. */
const u32 = (bytes: Buffer, at: number) => (at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0);

async function readTables(headers: Headers, trak: Box): Promise<Map<string, Buffer>> {
  const tables = new Map<string, Buffer>();
  let box: Box | undefined = trak;
  for (const type of PATH) {
    const outer: Box = box;
    box = undefined;
    for await (const inner of boxesIn(headers, outer.content, outer.end))
      if (inner.type === type) box = inner;
    if (!box) return tables;
  }
  for await (const { type, content, end } of boxesIn(headers, box.content, box.end)) {
    if (!['stsc', 'stsz', 'stco', 'co64'].includes(type) || end - content < 8) continue;
    if (end - content <= MAX_BYTES) tables.set(type, await headers.at(content, end - content));
  }
  return tables;
}

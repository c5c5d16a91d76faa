// Where the samples of a track lie, by its tables: how many lie together, how large each is, and where each group begins.
import { type Box, boxesIn } from './boxes.js';
import type { Headers } from './headers.js';
import { type Overwrite, zeros } from './overwrite.js';

/** Of one table. Hours of places, one a second, have far less. */
const MAX_BYTES = 4 * 1024 * 1024;
const PATH = ['mdia', 'minf', 'stbl'];

/** Nothing if a table is missing, too large or of a rare kind. Work and result are limited by the length of the tables. */
export async function readSamples(headers: Headers, trak: Box): Promise<Overwrite[]> {
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

/** Returns how many bytes the next so many samples have. */
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

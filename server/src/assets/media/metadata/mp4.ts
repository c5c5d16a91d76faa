// What an MP4 or QuickTime file holds beside its video and sound: places, devices, people, comments, previews. Boxes that playing it
// does not need become `free` boxes of the same size.
import { type Box, boxesIn, NO_BOX } from './boxes.js';
import { type Headers, Overwrites } from './headers.js';
import { readSamples } from './mp4-samples.js';
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

/** Of tracks. Others hold data over time, such as where a camera was. */
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
  // The encoder's name, of 32 bytes at a fixed place.
  if (type === 'stsd' && handler === 'vide')
    for await (const entry of boxesIn(headers, content + 8, end))
      if (entry.end - entry.start >= 86) hide(entry.start + 50, entry.start + 82);
  return found;
}

// What a WebM file holds beside its video and sound. Elements that playing it does not need become `Void` elements of the same size.
import { type Headers, Overwrites } from './headers.js';
import { type Overwrite, zeros } from './overwrite.js';

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const CRC = 0xbf;
const VOID = 0xec;

const HEAD = 0x1a45dfa3;
const [SEEK_HEAD, CUES] = [0x114d9b74, 0x1c53bb6b];
/** The elements in a cluster whose size is not known: time, blocks, groups of blocks, and the cluster's position. */
const IN_CLUSTER = [0xe7, 0xa3, 0xa0, 0xaf, 0xa7, 0xab, 0x5854];

/** The elements that playing needs, by the element they lie in. Every other is overwritten: tags, attachments, chapters. */
const NEEDED = new Map<number, ReadonlySet<number>>([
  [0, new Set([HEAD, SEGMENT])],
  [SEGMENT, new Set([SEEK_HEAD, INFO, TRACKS, CLUSTER, CUES, ...IN_CLUSTER])],
  // The scale and the duration.
  [INFO, new Set([0x2ad7b1, 0x4489])],
]);
/** In which everything is needed except these: checksums, which no longer fit, empty space, and the name of a track. */
const NOT_NEEDED = new Map<number, ReadonlySet<number>>([
  [TRACKS, new Set([CRC, VOID])],
  [TRACK, new Set([CRC, VOID, 0x536e])],
]);
/** The programs that wrote it. The format demands both, so they stay, as empty texts. */
const EMPTIED = new Set([0x4d80, 0x5741]);

interface Element {
  id: number;
  start: number;
  content: number;
  /** Null: its size is not known, so its content is read as if it lay beside it. */
  end: number | null;
}

export async function metadataOfWebm(headers: Headers): Promise<Overwrite[]> {
  const found = new Overwrites();
  await walk(headers, 0, 0, headers.size, found);
  return found.list;
}

async function walk(headers: Headers, parent: number, start: number, end: number, found: Overwrites) {
  for (let at = start; at < end; ) {
    const element = await elementAt(headers, at, end);
    if (element === null) return found.add(zeros(at, end));
    const { id, content } = element;
    at = element.end ?? (id === CLUSTER ? content : end);
    const isNeeded = NEEDED.get(parent)?.has(id) ?? !NOT_NEEDED.get(parent)?.has(id);
    if (parent === INFO && EMPTIED.has(id)) found.add(zeros(content, at));
    else if (!isNeeded) found.add(asVoid(element.start, at));
    else if (NEEDED.has(id) || NOT_NEEDED.has(id)) await walk(headers, id, content, at, found);
  }
}

async function elementAt(headers: Headers, at: number, end: number): Promise<Element | null> {
  const head = await headers.at(at, 12);
  const idLength = Math.clz32(head[0] ?? 0) - 23;
  const sizeLength = Math.clz32(head[idLength] ?? 0) - 23;
  if (idLength > 4 || sizeLength > 8 || idLength + sizeLength > head.length) return null;
  const size = head.subarray(idLength, idLength + sizeLength);
  const content = at + idLength + sizeLength;
  const bits = BigInt(`0x${size.toString('hex')}`) & ((1n << BigInt(7 * sizeLength)) - 1n);
  const isKnown = bits !== (1n << BigInt(7 * sizeLength)) - 1n;
  return {
    id: head.readUIntBE(0, idLength),
    start: at,
    content,
    end: isKnown ? Math.min(content + Number(bits), end) : null,
  };
}

/** A Void element from here to there, whose header takes as many bytes as it must. */
function asVoid(start: number, end: number): Overwrite {
  const length = end - start;
  // Cut off by the end of what it lies in.
  if (length < 2) return zeros(start, end);
  let sizeLength = 1;
  // All ones mean that the size is not known.
  while (sizeLength < 8 && length - 1 - sizeLength >= 2 ** (7 * sizeLength) - 1) sizeLength++;
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE((1n << BigInt(7 * sizeLength)) | BigInt(length - 1 - sizeLength));
  return { start, end, head: Buffer.concat([Buffer.from([VOID]), size.subarray(8 - sizeLength)]) };
}

// What can be uploaded, seen as pieces of known length that can be sent again.
import { builtin } from './runtime.js';

/** A path, where there are files; a `Blob` or `File`; bytes; or a stream, which needs `contentLength` if it is long. */
export type FileSource =
  | string
  | URL
  | Blob
  | Uint8Array
  | ArrayBuffer
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>;

/** Some bytes of a file. Its bytes can be read any number of times. */
export interface Piece {
  size: number;
  /** Of what is in memory, or in the hands of the browser. */
  readonly blob?: Blob;
  bytes(): AsyncIterable<Uint8Array>;
}

export interface Source {
  size: number;
  name: string | undefined;
  type: string | undefined;
  /** Of a stream, each piece must follow the one before. */
  piece(start: number, end: number): Promise<Piece>;
}

/** A stream without a known length is read into memory first, up to this. */
const MAX_IN_MEMORY = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;

export async function openSource(file: FileSource, contentLength: number | undefined): Promise<Source> {
  if (typeof file === 'string' || file instanceof URL) return fromPath(file);
  if (file instanceof Blob) return fromBlob(file);
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file))
    return fromBlob(new Blob([file as Uint8Array<ArrayBuffer>]));
  return fromStream(file, contentLength);
}

function fromBlob(blob: Blob): Source {
  const { name } = blob as { name?: string };
  const type = blob.type || undefined;
  return { size: blob.size, name, type, piece: async (start, end) => pieceOf(blob.slice(start, end)) };
}

const pieceOf = (blob: Blob): Piece => ({ size: blob.size, blob, bytes: () => chunksOf(blob) });

async function* chunksOf(blob: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < blob.size; at += CHUNK)
    yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
}

async function fromPath(path: string | URL): Promise<Source> {
  const fs = builtin('node:fs');
  if (!fs) throw new TypeError('There are no paths here: pass a Blob, a File or a stream.');
  const { size } = await fs.promises.stat(path);
  const name = decodeURIComponent(String(path)).split(/[\\/]/).at(-1);
  const piece = async (start: number, end: number): Promise<Piece> => ({
    size: end - start,
    bytes: () => fs.createReadStream(path, { start, end: end - 1, highWaterMark: CHUNK }),
  });
  return { size, name, type: undefined, piece };
}

async function fromStream(
  stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
  contentLength: number | undefined,
): Promise<Source> {
  const take = createByteReader(stream);
  if (contentLength === undefined) {
    const whole = await take(MAX_IN_MEMORY + 1);
    if (whole.size <= MAX_IN_MEMORY) return fromBlob(whole.blob);
    throw new TypeError('A stream of more than 64 MB needs `contentLength`.');
  }
  const size = contentLength;
  let [at, last] = [0, heldIn([])];
  const piece = async (start: number, end: number): Promise<Piece> => {
    // The one before is asked for again.
    if (end === at && end - start === last.size) return last;
    if (start !== at)
      throw new TypeError('A stream cannot go on where another one ended: pass a path or a Blob.');
    last = await take(end - start);
    at = end;
    const isShort = last.size < end - start;
    if (isShort || (at === size && (await take(1)).size > 0))
      throw new TypeError(`The stream has ${isShort ? 'fewer' : 'more'} bytes than ${size}.`);
    return last;
  };
  return { size, name: undefined, type: undefined, piece };
}

/** Returns a function that takes so many more bytes from the stream, or what is left. */
function createByteReader(
  stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
): (count: number) => Promise<Piece & { blob: Blob }> {
  const iterator = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : readerOf(stream);
  let rest: Uint8Array = new Uint8Array();
  return async (count) => {
    const taken: Uint8Array[] = [];
    for (let missing = count; missing > 0; ) {
      if (rest.length === 0) {
        const { done, value } = await iterator.next();
        if (done) break;
        rest = value;
      }
      const some = rest.subarray(0, missing);
      taken.push(some);
      rest = rest.subarray(some.length);
      missing -= some.length;
    }
    return heldIn(taken);
  };
}

/** Bytes in memory, as they came: a Blob would be a copy of them, and is made only where one is needed. */
const heldIn = (chunks: Uint8Array[]): Piece & { blob: Blob } => ({
  size: chunks.reduce((sum, { length }) => sum + length, 0),
  get blob() {
    return new Blob(chunks as Uint8Array<ArrayBuffer>[]);
  },
  async *bytes() {
    yield* chunks;
  },
});

/** Not every browser iterates streams. */
function readerOf(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array> {
  const reader = stream.getReader();
  return { next: () => reader.read() as Promise<IteratorResult<Uint8Array>> };
}

// Reads the headers of a file's boxes or elements, which may lie far apart, in few and small reads.
import type { ReadBytes } from '../tasks.js';
import type { Overwrite } from './overwrite.js';

const MIN_READ = 4 * 1024;
const MAX_READ = 128 * 1024;
/** A live recording of half an hour has as many. */
const MAX_HEADERS = 250_000;
const MAX_OVERWRITES = 100_000;

/** What cannot be searched to its end is not sent: the rest would go out as it is. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

export interface Headers {
  readonly size: number;
  /** Up to `length` bytes, fewer at the end of the file. */
  at(offset: number, length: number): Promise<Buffer>;
}

export function headersOf(size: number, read: ReadBytes): Headers {
  let block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  let reach = MIN_READ;
  let count = 0;
  return {
    size,
    async at(offset, length) {
      if (++count > MAX_HEADERS) throw new TooMuch();
      const end = Math.min(offset + length, size);
      if (offset < block.start || end > block.start + block.bytes.length) {
        const blockEnd = block.start + block.bytes.length;
        // Headers that lie close together are read in ever larger blocks.
        reach = offset <= blockEnd + MIN_READ ? Math.min(reach * 2, MAX_READ) : MIN_READ;
        const bytes = await read(offset, Math.min(Math.max(end, offset + reach), size));
        block = { start: offset, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) };
      }
      return block.bytes.subarray(offset - block.start, end - block.start);
    },
  };
}

/** What was found. */
export class Overwrites {
  readonly list: Overwrite[] = [];

  add(...more: Overwrite[]): void {
    for (const one of more) if (one.start < one.end) this.list.push(one);
    if (this.list.length > MAX_OVERWRITES) throw new TooMuch();
  }
}

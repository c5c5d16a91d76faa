// Reads the headers of a file's boxes or elements, which may lie far apart, in few and small reads.
import type { FileBytes } from '../verdict.js';

const LEAST = 16 * 1024;
/** All headers of a block are read in one turn of the event loop. */
const MOST = 128 * 1024;
/** A live recording of half an hour has as many. What comes after them is left as it is. */
const MOST_HEADERS = 250_000;

export interface Headers {
  readonly size: number;
  /** Up to `length` bytes, fewer at the end of the file. Null once too many were read. */
  at(offset: number, length: number): Promise<Buffer | null>;
}

export function headersOf({ size, read }: FileBytes): Headers {
  let block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  let reach = LEAST;
  let count = 0;
  return {
    size,
    async at(offset, length) {
      if (++count > MOST_HEADERS) return null;
      const end = Math.min(offset + length, size);
      if (offset < block.start || end > block.start + block.bytes.length) {
        const blockEnd = block.start + block.bytes.length;
        // Headers that lie close together are read in ever larger blocks.
        reach = offset <= blockEnd + LEAST ? Math.min(reach * 2, MOST) : LEAST;
        block = { start: offset, bytes: await read(offset, Math.min(Math.max(end, offset + reach), size)) };
      }
      return block.bytes.subarray(offset - block.start, end - block.start);
    },
  };
}

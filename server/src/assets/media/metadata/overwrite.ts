// Overwrites ranges of a file while it is streamed. Its length stays, and so does the position of everything else.
import { pipeline, type Readable, Transform } from 'node:stream';

/** From `start` up to, not including, `end`: these bytes, then zeros. */
export interface Overwrite {
  start: number;
  end: number;
  head: Uint8Array;
}

const NONE = Buffer.alloc(0);

export const zeros = (start: number, end: number): Overwrite => ({ start, end, head: NONE });

/** `overwrites` in the order of their starts. The stream begins at `offset` of the file. */
export function overwriting(source: Readable, offset: number, overwrites: readonly Overwrite[]): Readable {
  if (overwrites.length === 0) return source;
  let at = offset;
  let next = 0;
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = at + chunk.length;
      let bytes = chunk;
      while ((overwrites[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next++;
      for (let n = next; n < overwrites.length; n++) {
        const { start, end: until, head } = overwrites[n] as Overwrite;
        if (start >= end) break;
        if (until <= at) continue;
        // The store may hand out memory that it uses elsewhere.
        if (bytes === chunk) bytes = Buffer.from(chunk);
        bytes.fill(0, Math.max(start - at, 0), Math.min(until, end) - at);
        if (start + head.length > at)
          bytes.set(head.subarray(Math.max(at - start, 0), end - start), Math.max(start - at, 0));
      }
      at = end;
      done(null, bytes);
    },
  });
  // An error of the source ends the transform with it.
  return pipeline(source, transform, () => {});
}

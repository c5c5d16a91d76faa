// The bytes of a video as the library reads them: in blocks, of which the most recent are cached.
import type { CustomSource as Source } from 'mediabunny';
import { CustomSource } from './mediabunny.js';
import type { Read, Task } from './tasks.js';

const BLOCK = 64 * 1024;
/** 8 MB. */
const MAX_CACHED_BLOCKS = 128;
/** Longer ranges are an index that is read once, so they are not cached. */
const LONG = 1024 * 1024;
/**
 * On some broken files the library (1.61) loops forever: it looks for the next WebM element and finds the one it could not
 * read. Everything it requests then is cached, so neither bytes nor events would ever stop it. A live recording of ten
 * minutes has some 50,000 blocks, each requested; other files take a few requests, and some for each fragment.
 */
const MAX_REQUESTS: Record<string, number> = { 'video/webm': 200_000 };
const MAX_REQUESTS_OF_OTHERS = 40_000;

/** The library's own cache is off: requests answered from it would not be counted here. */
export function sourceOf({ size, type }: Task, maxReadBytes: number, ask: Read): Source {
  const kept = new Map<number, Uint8Array>();
  const most = MAX_REQUESTS[type] ?? MAX_REQUESTS_OF_OTHERS;
  let requests = 0;

  async function readLong(start: number, end: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let at = start; at < end; at += maxReadBytes)
      parts.push(await ask(at, Math.min(end, at + maxReadBytes)));
    return Buffer.concat(parts);
  }

  async function readBlocks(start: number, end: number): Promise<Uint8Array> {
    const first = Math.floor(start / BLOCK);
    const numbers = Array.from({ length: Math.ceil(end / BLOCK) - first }, (_, i) => first + i);
    const missing = numbers.filter((number) => !kept.has(number));
    const [from, to] = [missing[0], missing.at(-1)];
    if (from !== undefined && to !== undefined) {
      const bytes = await ask(from * BLOCK, Math.min((to + 1) * BLOCK, size));
      for (let number = from; number <= to; number++)
        kept.set(number, bytes.subarray((number - from) * BLOCK, (number - from + 1) * BLOCK));
    }
    const found = Buffer.concat(numbers.map((number) => kept.get(number) as Uint8Array));
    for (const number of kept.keys()) if (kept.size > MAX_CACHED_BLOCKS) kept.delete(number);
    return found.subarray(start - first * BLOCK, end - first * BLOCK);
  }

  return new CustomSource({
    getSize: () => size,
    maxCacheSize: 0,
    read: async (start, end) => {
      if (++requests > most) throw new Error('the library keeps requesting the same bytes');
      return end - start > LONG ? readLong(start, end) : readBlocks(start, end);
    },
  });
}

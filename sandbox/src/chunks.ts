// How a video may be split into chunks, in the strict form that the platform really enforces.

export interface ChunkPlan {
  videoSize: number;
  chunkSize: number;
  chunkCount: number;
}

/** The platform does not document whether it means 1000 or 1024: this is the wider reading of each limit. */
const MIN_CHUNK = 5_000_000;
const MAX_CHUNK = 64 * 1024 * 1024;
const MAX_CHUNKS = 1000;
const MAX_BYTES = 4 * 1024 ** 3;

/** What is wrong with a plan, in the platform's words, or null. */
export function chunkMistake({ videoSize, chunkSize, chunkCount }: ChunkPlan): string | null {
  const isCount = (value: number) => Number.isSafeInteger(value) && value > 0;
  if (!isCount(videoSize) || videoSize > MAX_BYTES) return 'The video size is invalid';
  if (!isCount(chunkSize) || chunkSize > MAX_CHUNK) return 'The chunk size is invalid';
  if (!isCount(chunkCount) || chunkCount > MAX_CHUNKS) return 'The total chunk count is invalid';
  // A single chunk is the whole video; the rule below alone would allow one that is too small.
  if (chunkCount === 1 && chunkSize !== videoSize) return 'The chunk size is invalid';
  if (chunkCount > 1 && chunkSize < MIN_CHUNK) return 'The chunk size is invalid';
  // Rounded down: the rest belongs to the last chunk.
  return chunkCount === Math.floor(videoSize / chunkSize) ? null : 'The total chunk count is invalid';
}

export interface ChunkRange {
  first: number;
  last: number;
  total: number;
}

/** `bytes 0-9999999/50000123`, or null. */
export function parseContentRange(header: string | undefined): ChunkRange | null {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header ?? '');
  if (!match) return null;
  const [first, last, total] = match.slice(1).map(Number) as [number, number, number];
  return first <= last && last < total ? { first, last, total } : null;
}

/** Where the chunk that begins here must end. */
export function lastByteOf({ videoSize, chunkSize, chunkCount }: ChunkPlan, first: number): number {
  const isLast = first >= (chunkCount - 1) * chunkSize;
  return isLast ? videoSize - 1 : first + chunkSize - 1;
}

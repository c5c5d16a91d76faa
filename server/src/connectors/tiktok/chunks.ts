// How a video is split for upload. The platform does not say whether its MB are 1000 or 1024 based: this plan is valid
// under both readings, and under the stricter rules met in production.
import type { ChunkPlan } from '../connector.js';

const MAX_BYTES = 4_294_967_296;
const SINGLE_CHUNK_BYTES = 64_000_000;
const CHUNK_BYTES = 10_000_000;

/** Null if no plan exists: an empty video, or one larger than 4 GB. */
export function planChunks(videoSize: number): ChunkPlan | null {
  if (!Number.isSafeInteger(videoSize) || videoSize < 1 || videoSize > MAX_BYTES) return null;
  if (videoSize <= SINGLE_CHUNK_BYTES) return { videoSize, chunkSize: videoSize, chunkCount: 1 };
  return { videoSize, chunkSize: CHUNK_BYTES, chunkCount: Math.floor(videoSize / CHUNK_BYTES) };
}

/** The exclusive end of the chunk that begins here, or null if none does. The last chunk takes the rest. */
export function chunkEnd({ videoSize, chunkSize, chunkCount }: ChunkPlan, offset: number): number | null {
  const index = offset / chunkSize;
  if (!Number.isInteger(index) || index < 0 || index >= chunkCount) return null;
  return index === chunkCount - 1 ? videoSize : offset + chunkSize;
}

/** The last chunk boundary up to which everything has arrived. */
export function resumeAt({ videoSize, chunkSize, chunkCount }: ChunkPlan, receivedBytes: number): number {
  if (!(receivedBytes > 0)) return 0;
  if (receivedBytes >= videoSize) return videoSize;
  return Math.min(Math.floor(receivedBytes / chunkSize), chunkCount - 1) * chunkSize;
}

/**
 * How much has arrived according to a chunk's response header, or null if that is unclear. The documentation does not say
 * whether the number is the last byte or a count, but only one of the two is a chunk boundary.
 */
export function arrivedBytes(plan: ChunkPlan, contentRange: string | undefined): number | null {
  const match = /^bytes (?:\*|0-(\d{1,15}))\/(?:\d{1,15}|\*)$/.exec(contentRange ?? '');
  if (!match) return null;
  if (match[1] === undefined) return 0;
  const named = Number(match[1]);
  const isEnd = (bytes: number) => bytes === plan.videoSize || (bytes > 0 && chunkEnd(plan, bytes) !== null);
  return [named + 1, named].find(isEnd) ?? null;
}

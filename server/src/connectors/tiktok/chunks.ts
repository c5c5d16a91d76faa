// In which pieces a video is sent. Whether the platform's MB are 1000 or 1024 is written nowhere: this plan is legal
// under every reading, and under the stricter rules that were met in production.
import type { ChunkPlan } from '../connector.js';

const MOST_BYTES = 4_294_967_296;
const SINGLE_CHUNK_BYTES = 64_000_000;
const CHUNK_BYTES = 10_000_000;

/** Null if no plan can be made: an empty video, or one of more than 4 GB. */
export function planChunks(videoSize: number): ChunkPlan | null {
  if (!Number.isSafeInteger(videoSize) || videoSize < 1 || videoSize > MOST_BYTES) return null;
  if (videoSize <= SINGLE_CHUNK_BYTES) return { videoSize, chunkSize: videoSize, chunkCount: 1 };
  return { videoSize, chunkSize: CHUNK_BYTES, chunkCount: Math.floor(videoSize / CHUNK_BYTES) };
}

/** Where the chunk that begins here ends (exclusive), or null if none begins here. The last one takes the rest. */
export function chunkEnd({ videoSize, chunkSize, chunkCount }: ChunkPlan, offset: number): number | null {
  const index = offset / chunkSize;
  if (!Number.isInteger(index) || index < 0 || index >= chunkCount) return null;
  return index === chunkCount - 1 ? videoSize : offset + chunkSize;
}

/** The last place up to which everything has arrived and a chunk begins. */
export function resumeAt({ videoSize, chunkSize, chunkCount }: ChunkPlan, receivedBytes: number): number {
  if (!(receivedBytes > 0)) return 0;
  if (receivedBytes >= videoSize) return videoSize;
  return Math.min(Math.floor(receivedBytes / chunkSize), chunkCount - 1) * chunkSize;
}

/**
 * How much has arrived by the header of an answered chunk, or null if that is not clear. The documentation does not say
 * whether the number is the last byte or a count, but only one of the two is where a chunk ends.
 */
export function arrivedBytes(plan: ChunkPlan, contentRange: string | undefined): number | null {
  const match = /^bytes (?:\*|0-(\d{1,15}))\/(?:\d{1,15}|\*)$/.exec(contentRange ?? '');
  if (!match) return null;
  if (match[1] === undefined) return 0;
  const named = Number(match[1]);
  const isEnd = (bytes: number) => bytes === plan.videoSize || (bytes > 0 && chunkEnd(plan, bytes) !== null);
  return [named + 1, named].find(isEnd) ?? null;
}

// How a file is divided into parts.
import { DAY_MS } from '../../core/durations.js';

const MIB = 1024 * 1024;

/**
 * What a broken connection loses at most. S3 takes up to 10,000 parts of at least 5 MB: 4 GB are 512 of these.
 */
export const PART_SIZE = 8 * MIB;

/** How long an upload in parts reserves its asset. */
export const UPLOAD_LIFE_MS = 7 * DAY_MS;

/** How many URLs a response holds. */
export const MAX_URLS = 100;

/** The length of each part, in order. */
export function lengthsOf(length: number, partSize: number): number[] {
  const count = Math.ceil(length / partSize);
  return Array.from({ length: count }, (_, i) => Math.min(partSize, length - i * partSize));
}

/** `1, 3 to 5 and 9` */
export function formatPartNumbers(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges
    .slice(0, 10)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  if (ranges.length > shown.length) shown.push('more');
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : (shown[0] ?? '');
}

// How far uploads are, in figures and words.
import { duration } from '../text/time.js';
import { bytes } from './limits.js';
import type { Upload } from './upload.js';

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Of all their bytes together. */
export const percentOf = (uploads: readonly Upload[]): number =>
  Math.floor(
    (sum(uploads.map(({ sent }) => sent)) / Math.max(1, sum(uploads.map(({ file }) => file.size)))) * 100,
  );

export function progressOf({ state, sent, file, speed, isInterrupted }: Upload): string {
  if (state === 'waiting') return `Waiting, ${bytes(file.size)}`;
  if (state === 'checking') return 'Uploaded. Checking…';
  const amount = `${bytes(sent)} of ${bytes(file.size)}`;
  if (isInterrupted) return `${amount} · Connection lost. It continues by itself.`;
  return speed === null ? amount : `${amount} · ${bytes(Math.round(speed))}/s`;
}

/** Nothing in the last half second, which would read as "0 s". */
export function timeLeft({ sent, file, speed }: Upload): string {
  const left = timeLeftMs(file.size - sent, speed);
  return left === null || left < 500 ? '' : `${duration(left)} left`;
}

const timeLeftMs = (left: number, speed: number | null): number | null =>
  speed === null || speed < 1 ? null : (left / speed) * 1000;

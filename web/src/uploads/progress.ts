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

export function timeLeft({ sent, file, speed }: Upload): string {
  const left = timeLeftMs(file.size - sent, speed);
  return left === null ? '' : `${duration(left)} left`;
}

// The speed of an upload, smoothed so that the figure is readable, and the remaining time.

const SMOOTHING_MS = 3_000;

export class Pace {
  #sent = 0;
  #at = performance.now();
  #speed: number | null = null;

  /** Bytes a second, or null while too little is known. */
  take(sent: number, now = performance.now()): number | null {
    const elapsed = now - this.#at;
    if (elapsed < 100) return this.#speed;
    const speed = ((sent - this.#sent) / elapsed) * 1000;
    const weight = Math.min(1, elapsed / SMOOTHING_MS);
    this.#speed = this.#speed === null ? speed : this.#speed * (1 - weight) + speed * weight;
    this.#sent = sent;
    this.#at = now;
    return this.#speed;
  }
}

const timeLeftMs = (left: number, speed: number | null): number | null =>
  speed === null || speed < 1 ? null : (left / speed) * 1000;

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

export const timeLeftMs = (left: number, speed: number | null): number | null =>
  speed === null || speed < 1 ? null : (left / speed) * 1000;

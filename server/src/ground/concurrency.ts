// Work that happens at the same time: how much of it, and how long it is waited for.
import { setTimeout as delay } from 'node:timers/promises';

/** At most so many pieces of work at once; the rest wait in line, first come first served, and what is urgent before the others. */
export function atMost(limit: number): <T>(work: () => Promise<T>, isUrgent?: boolean) => Promise<T> {
  let running = 0;
  const line: (() => void)[] = [];

  return async (work, isUrgent = false) => {
    if (running < limit) running++;
    else await new Promise<void>((begin) => (isUrgent ? line.unshift(begin) : line.push(begin)));
    try {
      return await work();
    } finally {
      // The slot passes straight to the next in line, so a new call cannot overtake the ones that wait.
      const next = line.shift();
      if (next) next();
      else running--;
    }
  };
}

/**
 * Pieces of work that keep the process busy, one at a time. After so many milliseconds of them everything else is served, for as
 * long: a request of many steps, such as an upload, would otherwise wait for a piece at each step. Cheap pieces share a turn of
 * the event loop: on a busy process each turn takes long.
 */
export function inTurns(ms: number): <T>(work: () => Promise<T>) => Promise<T> {
  const one = atMost(1);
  let spent = 0;
  return (work) =>
    one(async () => {
      const began = performance.now();
      try {
        return await work();
      } finally {
        spent += performance.now() - began;
        if (spent >= ms) {
          const owed = spent;
          spent = 0;
          await delay(owed);
        }
      }
    });
}

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Awaited between pieces of work: after so many milliseconds of them, it pauses, for the event loop to serve everything else once. */
export function yieldEvery(
  ms: number,
  pause: () => Promise<void> = nextTick,
): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < ms) return undefined;
    return pause().then(() => {
      began = performance.now();
    });
  };
}

/** How long the event loop takes to serve everything else once, on the average of the last pauses. */
export class LoopDelay {
  ms = 0;

  readonly pause = async (): Promise<void> => {
    const began = performance.now();
    await nextTick();
    this.ms = (this.ms + performance.now() - began) / 2;
  };
}

export interface Shares {
  /** How much work runs at once, of all keys together. */
  most: number;
  /** How much of it may be of one key. */
  perKey: number;
  /** How much work of one key may wait. */
  waiting: number;
  /** How much of all keys together may wait. Beyond it, the newest piece of the key with the longest line gives way. */
  inAll?: number;
}

/** The line is full, and a key that waits with less work has got the place. */
export class GaveWay extends Error {
  override readonly name = 'GaveWay';
}

export interface Place {
  /** Leaves the line when it aborts; work that has begun ends by itself. */
  signal?: AbortSignal | undefined;
  /** Waits behind a full line too, for work that is bounded elsewhere. */
  evenIfFull?: boolean;
}

export type Line = ReturnType<typeof fairly>;

interface Waiter {
  begin(): void;
  leave(reason: unknown): void;
}

/**
 * Work by key (an organization): those that wait take turns by key, so a key with a long line delays another one by
 * one piece of work beside those that run. Returns null if the line is full.
 */
export function fairly({ most, perKey, waiting, inAll = Number.POSITIVE_INFINITY }: Shares) {
  let running = 0;
  let inLine = 0;
  /** A ring: the key that is served moves to the end. */
  const keys = new Map<string, { running: number; line: Set<Waiter> }>();

  function startNext(): void {
    for (const [key, of] of keys) {
      if (running >= most) return;
      if (of.running >= perKey) continue;
      const [next] = of.line;
      if (!next) continue;
      keys.delete(key);
      keys.set(key, of);
      of.line.delete(next);
      inLine--;
      of.running++;
      running++;
      next.begin();
    }
  }

  /** For a key with so many in line: it must not get longer than the one that gives way. */
  function makeRoom(own: number): boolean {
    let longest: Set<Waiter> | undefined;
    for (const { line } of keys.values()) if (line.size > (longest?.size ?? own + 1)) longest = line;
    const newest = [...(longest ?? [])].at(-1);
    newest?.leave(new GaveWay('the line is full'));
    return newest !== undefined;
  }

  return <T>(
    key: string,
    work: () => Promise<T>,
    { signal, evenIfFull = false }: Place = {},
  ): Promise<T> | null => {
    const of = keys.get(key) ?? { running: 0, line: new Set() };
    if (signal?.aborted) return Promise.reject(signal.reason);
    const mustWait = of.running >= perKey || running >= most;
    if (mustWait && !evenIfFull) {
      if (of.line.size >= waiting) return null;
      if (inLine >= inAll && !makeRoom(of.line.size)) return null;
    }
    keys.set(key, of);
    const forget = () => {
      if (of.running === 0 && of.line.size === 0) keys.delete(key);
    };
    const begun = new Promise<void>((begin, refuse) => {
      const waiter: Waiter = {
        begin,
        leave(reason) {
          if (!of.line.delete(waiter)) return;
          inLine--;
          forget();
          refuse(reason);
        },
      };
      of.line.add(waiter);
      inLine++;
      signal?.addEventListener('abort', () => waiter.leave(signal.reason), { once: true });
    });
    const result = begun.then(async () => {
      try {
        return await work();
      } finally {
        running--;
        of.running--;
        forget();
        startNext();
      }
    });
    startNext();
    return result;
  };
}

/** Fails when the signal aborts. The work then goes on by itself. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Resolves when the work has ended, or after so long; the work then goes on by itself. Fails only if the work does. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const enough = delay(ms, undefined, { signal: done.signal }).catch(() => {});
  try {
    await Promise.race([work, enough]);
  } finally {
    done.abort();
  }
}

/**
 * A question of which at most one is open. Calls that come meanwhile share its answer and its deadline: once that has passed,
 * they get `late` at once, until the question is answered or fails.
 */
export function sharedCheck<T>(withinMs: number, late: T, ask: () => Promise<T>): () => Promise<T> {
  let open: Promise<T> | undefined;
  return () => {
    if (open) return open;
    const answered = new AbortController();
    const asked = ask().finally(() => {
      open = undefined;
      answered.abort();
    });
    const tooLate = delay(withinMs, late, answered);
    tooLate.catch(() => {});
    open = Promise.race([asked, tooLate]);
    return open;
  };
}

// Work that happens at the same time: how much of it, and how long it is waited for.

/** At most so many pieces of work at once; the rest wait in line, first come first served. */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const line: (() => void)[] = [];

  return async (work) => {
    if (running < limit) running++;
    else await new Promise<void>((begin) => line.push(begin));
    try {
      return await work();
    } finally {
      // The place is handed on and not given back, so that later work cannot overtake the line.
      const next = line.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Resolves when the work has ended, or after so long; the work then goes on by itself. Fails only if the work does. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, enough]);
  } finally {
    clearTimeout(timer);
  }
}

// Limits how many tasks run at once; the rest wait in line, first come, first served.

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
      // The slot passes straight to the next in line, so a new call cannot overtake the ones that wait.
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

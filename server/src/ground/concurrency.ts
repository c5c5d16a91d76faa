// At most so many pieces of work at once; the rest wait in line, first come first served.

export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const line: (() => void)[] = [];

  return async (work) => {
    if (running < limit) running++;
    else await new Promise<void>((myTurn) => line.push(myTurn));
    try {
      return await work();
    } finally {
      // The place is handed on, not given back: nobody who comes now may overtake the line.
      const next = line.shift();
      if (next) next();
      else running--;
    }
  };
}

import { startTransition, useEffect, useState } from 'react';

/**
 * How much of something long is drawn: `size` of it at first, then as much again, each in a task of its own. Drawn in one
 * task, it would keep the page from responding to anything else. `restart` begins again.
 */
export function useSlices(total: number, size: number): [drawn: number, restart: () => void] {
  const [drawn, setDrawn] = useState(size);
  useEffect(() => {
    if (drawn >= total) return;
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + size)));
    return () => clearTimeout(timer);
  }, [drawn, total, size]);
  return [drawn, () => setDrawn(size)];
}

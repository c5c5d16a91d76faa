import { startTransition, useEffect, useState } from 'react';

/** More than the first screen shows. */
const SLICE = 12;

/**
 * How much of a long list is drawn: the first screen of it, then a slice at a time, each in a task of its own. Drawn in one
 * task, fifty posts would keep the page from responding to anything else.
 */
export function useSlices(list: { id: string }[]): number {
  const [drawn, setDrawn] = useState(SLICE);
  const [before, setBefore] = useState(list);
  if (before !== list) {
    setBefore(list);
    // Another page or another filter; a refetched list has most of its posts in common with the one before.
    const known = new Set(before.map(({ id }) => id));
    if (!list.some(({ id }) => known.has(id))) setDrawn(SLICE);
  }
  useEffect(() => {
    if (drawn >= list.length) return;
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + SLICE)));
    return () => clearTimeout(timer);
  }, [drawn, list.length]);
  return drawn;
}

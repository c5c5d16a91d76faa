import { type ReactNode, startTransition, useEffect, useState } from 'react';

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

interface Props {
  /** How many tasks later than the parts around it. */
  by: number;
  meanwhile: ReactNode;
  children: ReactNode;
}

/** A part of a large screen, drawn in a task of its own: the page stays responsive in between. */
export function DeferredRender({ by, meanwhile, children }: Props) {
  const [drawn] = useSlices(by + 1, 1);
  return drawn > by ? children : meanwhile;
}

import { type RefObject, useEffect, useState } from 'react';

/** Enough for every pass, also on a slow machine. */
const MAX_FRAMES = 30;

/**
 * FullCalendar measures what it has drawn and draws again, over several frames. True when everything is drawn and two frames
 * had the same layout; until then the grid stays hidden, so that nothing is seen moving.
 */
export function useSettled(frame: RefObject<HTMLElement | null>, isComplete: boolean): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isComplete) return;
    let last = '';
    let frames = 0;
    let request = requestAnimationFrame(function inspect() {
      const now = layoutOf(frame.current);
      if ((now === last && now !== '') || ++frames > MAX_FRAMES) setSettled(true);
      else request = requestAnimationFrame(inspect);
      last = now;
    });
    return () => cancelAnimationFrame(request);
  }, [frame, isComplete]);
  return isSettled;
}

/** Where its rows and links are. */
const layoutOf = (frame: HTMLElement | null): string =>
  [...(frame?.querySelectorAll('[role=row], a') ?? [])]
    .map((part) => {
      const { x, y, height } = part.getBoundingClientRect();
      return [x, y, height].map(Math.round).join();
    })
    .join(' ');

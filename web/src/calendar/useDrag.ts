import { type RefObject, useMemo, useReducer, useRef } from 'react';
import type { Drop, ShowDrop } from './DragHint.js';
import { refuse } from './move.js';

/** How long after the end of a drag the browser may still report a click. */
const CLICK_MS = 100;

/** What is dragged over the days at the moment: a post of the grid, a draft from beside it, or files. */
export interface Drag {
  hint: RefObject<ShowDrop | null>;
  isUnderWay: () => boolean;
  hasJustEnded: () => boolean;
  start: () => void;
  /** The slot under the pointer; null if there is none. */
  show: (drop: Drop | null) => void;
  /** Says why, if the slot under the pointer is refused. */
  end: (refused?: string) => void;
}

export function useDrag(): Drag {
  const hint = useRef<ShowDrop>(null);
  const [, release] = useReducer((count: number) => count + 1, 0);
  return useMemo(() => {
    let isUnderWay = false;
    let endedAt = Number.NEGATIVE_INFINITY;
    let drop: Drop | null = null;
    const show = (next: Drop | null) => {
      drop = next;
      hint.current?.(next);
    };
    return {
      hint,
      isUnderWay: () => isUnderWay,
      hasJustEnded: () => performance.now() - endedAt < CLICK_MS,
      start: () => {
        isUnderWay = true;
        document.documentElement.dataset.dragging = '';
      },
      show,
      end: (refused) => {
        endedAt = performance.now();
        if (drop?.refusal) refuse(drop.refusal, refused);
        show(null);
        delete document.documentElement.dataset.dragging;
        // The grid may show what has changed meanwhile, after it has reported the drop.
        setTimeout(() => {
          isUnderWay = false;
          release();
        });
      },
    };
  }, []);
}

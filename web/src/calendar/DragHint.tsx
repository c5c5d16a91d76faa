import {
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { dateAndTime, inUtc } from '../text/time.js';
import classes from './Grid.module.css';
import { refuse } from './move.js';

export interface Drop {
  at: Date;
  /** Why it cannot be dropped there. */
  refusal: string | null;
}

export type ShowDrop = (drop: Drop | null) => void;

/** Follows the pointer during a drag and shows the new time. Updated by call: the grid must not render meanwhile. */
export function DragHint({ ref }: { ref: Ref<ShowDrop> }) {
  const [drop, setDrop] = useState<Drop | null>(null);
  useImperativeHandle(ref, () => setDrop, []);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = (event: MouseEvent | TouchEvent) => {
      const point = 'touches' in event ? event.touches[0] : event;
      if (!point || !box.current) return;
      // Left of the pointer where there is no space on its right.
      const shift = point.clientX > window.innerWidth - 220 ? 'calc(-100% - 14px)' : '14px';
      box.current.style.transform = `translate(${point.clientX}px, ${point.clientY + 18}px) translateX(${shift})`;
    };
    document.addEventListener('mousemove', follow, { passive: true });
    document.addEventListener('touchmove', follow, { passive: true });
    // While files are dragged there are no other events of the mouse.
    document.addEventListener('dragover', follow, { passive: true });
    return () => {
      document.removeEventListener('mousemove', follow);
      document.removeEventListener('touchmove', follow);
      document.removeEventListener('dragover', follow);
    };
  }, []);
  return (
    <div
      ref={box}
      className={classes.hint}
      hidden={drop === null}
      data-refused={drop?.refusal != null}
      aria-hidden
    >
      {drop && (
        <>
          <strong className="figures">{dateAndTime(drop.at)}</strong>
          <span className="figures">{drop.refusal ?? inUtc(drop.at)}</span>
        </>
      )}
    </div>
  );
}

/** How long after the end of a drag the browser may still report a click. */
const CLICK_MS = 100;

/** What is dragged over the days at the moment: a post of the grid, a draft from beside it, or files. */
export interface Drag {
  hint: RefObject<ShowDrop | null>;
  isUnderWay: () => boolean;
  hasJustEnded: () => boolean;
  /** With the time that a draft carries. */
  start: (own?: string | null) => void;
  /** That of the draft that is dragged. */
  ownTime: () => string | null;
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
    let ownTime: string | null = null;
    const show = (next: Drop | null) => {
      drop = next;
      hint.current?.(next);
    };
    return {
      hint,
      isUnderWay: () => isUnderWay,
      hasJustEnded: () => performance.now() - endedAt < CLICK_MS,
      start: (own = null) => {
        isUnderWay = true;
        ownTime = own;
        document.documentElement.dataset.dragging = '';
      },
      ownTime: () => ownTime,
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

import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { dateAndTime, inUtc } from '../text/time.js';
import classes from './Grid.module.css';

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

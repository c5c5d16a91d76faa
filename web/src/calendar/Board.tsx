// The grid and, on wide screens, the drafts that can be dragged onto it.
import { Skeleton } from '@mantine/core';
import { lazy, type RefObject, Suspense, useEffect, useRef } from 'react';
import { type Drag, DragHint, useDrag } from './DragHint.js';
import Grid, { type GridProps } from './Grid.js';
import { refusalOf } from './move.js';
import classes from './Rail.module.css';
import { dayFrom, timeOn, type View } from './range.js';

/** In a task of its own: the grid is heavy. */
const Rail = lazy(() => import('./Rail.js'));

interface Props extends Omit<GridProps, 'drag' | 'frame'> {
  hasRail: boolean;
  onSchedule: (postId: string) => void;
  /** Null if this person writes no posts. */
  onFiles: ((files: File[], at: Date) => void) | null;
}

export default function Board({ hasRail, onSchedule, onFiles, ...grid }: Props) {
  const { view, leadMs } = grid;
  const drag = useDrag();
  const frame = useRef<HTMLDivElement>(null);
  useFilesOverDays({ frame, view, leadMs, drag, onFiles });
  return (
    <>
      {hasRail && (
        <Suspense fallback={<Skeleton className={classes.rail ?? ''} />}>
          <Rail view={view} drag={drag} onSchedule={onSchedule} />
        </Suspense>
      )}
      <Grid {...grid} drag={drag} frame={frame} />
      <DragHint ref={drag.hint} />
    </>
  );
}

interface Options {
  frame: RefObject<HTMLElement | null>;
  view: View;
  leadMs: number;
  drag: Drag;
  /** Dropped on a free slot. Null if they cannot be dropped. */
  onFiles: ((files: File[], at: Date) => void) | null;
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/**
 * Files dragged onto the page: the day or hour under them is marked, and they can be dropped there. Anywhere else they do
 * nothing: a file that misses a day must not replace the page.
 */
function useFilesOverDays(options: Options): void {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    let marked: HTMLElement | null = null;
    const mark = (cell: HTMLElement | null) => {
      if (cell === marked) return;
      marked?.removeAttribute('data-over');
      cell?.setAttribute('data-over', '');
      marked = cell;
    };
    const slotUnder = (event: DragEvent) => {
      const { frame, view, leadMs, onFiles } = latest.current;
      const under = event.target instanceof Element ? event.target : null;
      const cell = under?.closest<HTMLElement>('[role$=cell][data-date]') ?? null;
      if (!onFiles || !cell || !frame.current?.contains(cell)) return null;
      const at = view === 'month' ? timeOn(dayOf(cell), leadMs) : hourAt(cell, event.clientY);
      return { cell, at, refusal: refusalOf(at, Date.now(), leadMs) };
    };
    const follow = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      const slot = slotUnder(event);
      event.dataTransfer.dropEffect = slot && slot.refusal === null ? 'copy' : 'none';
      mark(slot && slot.refusal === null ? slot.cell : null);
      latest.current.drag.show(slot);
    };
    const away = () => {
      mark(null);
      latest.current.drag.show(null);
    };
    const leave = (event: DragEvent) => {
      // Of the window, and not only of one of its parts.
      if (hasFiles(event) && event.relatedTarget === null) away();
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      const slot = slotUnder(event);
      const files = [...(event.dataTransfer?.files ?? [])];
      away();
      if (slot?.refusal === null && files.length > 0) latest.current.onFiles?.(files, slot.at);
    };
    window.addEventListener('dragover', follow);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', follow);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
}

const dayOf = (cell: HTMLElement): Date => dayFrom(cell.dataset.date, Date.now());

/** The quarter of an hour at this height of a day. */
function hourAt(cell: HTMLElement, y: number): Date {
  const { top, height } = cell.getBoundingClientRect();
  const quarters = Math.min(95, Math.max(0, Math.floor(((y - top) / height) * 96)));
  const day = dayOf(cell);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, quarters * 15);
}

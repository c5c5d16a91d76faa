// The grid and, on wide screens, the drafts that can be dragged onto it.
import { Skeleton } from '@mantine/core';
import { lazy, Suspense, useRef } from 'react';
import { DragHint } from './DragHint.js';
import Grid, { type GridProps } from './Grid.js';
import classes from './Rail.module.css';
import { useDrag } from './useDrag.js';
import { useFilesOverDays } from './useFilesOverDays.js';

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

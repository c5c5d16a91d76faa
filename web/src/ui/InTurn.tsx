import type { ReactNode } from 'react';
import { useSlices } from './useSlices.js';

interface Props {
  /** How many tasks later than the parts around it. */
  turn: number;
  meanwhile: ReactNode;
  children: ReactNode;
}

/** A part of a large screen, drawn in a task of its own: the page stays responsive in between. */
export function InTurn({ turn, meanwhile, children }: Props) {
  const [drawn] = useSlices(turn + 1, 1);
  return drawn > turn ? children : meanwhile;
}

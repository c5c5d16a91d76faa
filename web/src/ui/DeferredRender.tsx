import type { ReactNode } from 'react';
import { useSlices } from './useSlices.js';

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

import { useEffect } from 'react';
import { useComeIn } from './useComeIn.js';

/** Whoever is signed in has nothing to do at the door. It may be another person than the one this tab was opened by. */
export function AlreadyIn({ next }: { next: string | undefined }) {
  const comeIn = useComeIn(next);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(comeIn, []);
  return null;
}

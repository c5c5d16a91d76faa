import { useEffect } from 'react';
import { useComeIn } from './useComeIn.js';

/** For a visitor of the sign-in page who is already signed in, maybe as another person than the one who opened this tab. */
export function AlreadyIn({ next }: { next: string | undefined }) {
  const comeIn = useComeIn(next);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(comeIn, []);
  return null;
}

import { useEffect } from 'react';
import { useComeIn } from './useRedirectAfterSignIn.js';

/** For a visitor of the sign-in page who is already signed in. */
export function AlreadyIn({ next }: { next: string | undefined }) {
  const comeIn = useComeIn(next);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(comeIn, []);
  return null;
}

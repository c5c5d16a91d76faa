import { useEffect } from 'react';
import { useRedirectAfterSignIn } from './useRedirectAfterSignIn.js';

/** For a visitor of the sign-in page who is already signed in. */
export function AlreadySignedIn({ next }: { next: string | undefined }) {
  const comeIn = useRedirectAfterSignIn(next);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(comeIn, []);
  return null;
}

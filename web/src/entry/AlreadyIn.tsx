import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ownPath } from './useComeIn.js';

/** Whoever is signed in has nothing to do at the door. */
export function AlreadyIn({ next }: { next: string | undefined }) {
  const router = useRouter();
  useEffect(() => router.history.replace(ownPath(next)), [router, next]);
  return null;
}

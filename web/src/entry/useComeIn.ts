import type { Me } from '@airdate/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { meQuery } from '../api/queries.js';

/** After any way in: forgets whatever another person has left in memory, and goes where they wanted to be. */
export function useComeIn(next?: string): (me: Me) => void {
  const client = useQueryClient();
  const router = useRouter();
  return (me) => {
    // What is on screen belongs to the door, and must not be asked for again: its token is used up.
    client.removeQueries({ type: 'inactive' });
    client.setQueryData(meQuery.queryKey, me);
    router.history.replace(ownPath(next));
  };
}

/** A path of this very site, or the library: an address must not be able to send people elsewhere. */
export function ownPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/library';
  const url = URL.parse(next, window.location.origin);
  // "//host" and "/\host" are other hosts to a browser.
  if (url?.origin !== window.location.origin) return '/library';
  return url.pathname + url.search + url.hash;
}

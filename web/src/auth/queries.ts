import { queryOptions, useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ApiError, api } from '../api/client.js';
import { queryKeys } from '../api/query-keys.js';
import { personOfPage, setPagePerson } from '../api/session.js';
import { ownUrl } from '../text/own-path.js';

/** Whether this browser has a session, and who may sign up. */
export const authStateQuery = (as?: string) =>
  queryOptions({
    queryKey: queryKeys.authState,
    queryFn: async () => {
      setPagePerson(as);
      const entrance = await api.data('GET', '/api/v1/auth');
      return { ...entrance, session: entrance.signed_in ? await sessionOf() : 'none' } as const;
    },
    staleTime: 0,
  });

/** The session may be another person's than the one who opened this page. */
async function sessionOf(): Promise<'own' | 'other'> {
  if (personOfPage() === undefined) return 'own';
  try {
    await api.data('GET', '/api/v1/me');
    return 'own';
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return 'other';
    throw error;
  }
}

/** The person who is signed in on this browser; null if there is none. */
export const signedInQuery = queryOptions({
  queryKey: queryKeys.signedIn,
  queryFn: async () => {
    const { signed_in } = await api.data('GET', '/api/v1/auth');
    if (!signed_in) return null;
    const { user, organization } = await api.data('GET', '/api/v1/me');
    return user && { name: user.name, email: user.email, organization: organization.name };
  },
  staleTime: 0,
});

/** After signing in: goes to the requested page. It is reloaded, so that no data of another person is left in it. */
export function useRedirectAfterSignIn(next?: string): () => void {
  const { routesById } = useRouter();
  return () => {
    const screens = Object.values(routesById)
      .filter(({ parentRoute }) => parentRoute?.id === '/inside')
      .map(({ fullPath }) => fullPath);
    const { origin } = window.location;
    // Absolute: a relative one could be read as another host.
    window.location.replace(ownUrl(next, screens, origin) ?? `${origin}/library`);
  };
}

/**
 * The secret of a one-time link, which follows the #. It is removed from the URL immediately: it must not stay in the
 * history, nor be shared with it.
 */
export function takeToken(): string {
  const { hash, origin, pathname } = window.location;
  const token = hash.slice(1);
  // Absolute: a path alone could be read as another host.
  if (token !== '') window.history.replaceState(window.history.state, '', origin + pathname);
  return token;
}

/** Ends the session. The page is reloaded, so that nothing of it stays in memory. */
export const useSignOut = () =>
  useMutation({
    mutationFn: () => api.request('POST', '/api/v1/auth/sign-out').catch(unlessOver),
    onSuccess: () => window.location.assign('/sign-in'),
  });

/** The session has already ended: signing out has succeeded. */
function unlessOver(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) throw error;
}

import { queryOptions } from '@tanstack/react-query';
import { ApiError, api } from '../api/client.js';
import { queryKeys } from '../api/query-keys.js';
import { personOfPage, setPagePerson } from '../api/session.js';

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

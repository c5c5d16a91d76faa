import { useMutation } from '@tanstack/react-query';
import { ApiError, api } from '../api/client.js';

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

import { useMutation } from '@tanstack/react-query';
import { ApiError, api, ask } from '../api/client.js';

/** Ends the session. The page is loaded anew, so that nothing of it stays in memory. */
export const useSignOut = () =>
  useMutation({
    mutationFn: () => ask(api.POST('/api/v1/auth/sign-out')).catch(unlessOver),
    onSuccess: () => window.location.assign('/sign-in'),
  });

/** Ended elsewhere, or too old: whoever wants to be signed out is. */
function unlessOver(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) throw error;
}

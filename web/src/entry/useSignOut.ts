import { useMutation } from '@tanstack/react-query';
import { api, ask } from '../api/client.js';

/** Ends the session. The page is loaded anew, so that nothing of it stays in memory. */
export const useSignOut = () =>
  useMutation({
    mutationFn: () => ask(api.POST('/api/v1/auth/sign-out')),
    onSuccess: () => window.location.assign('/sign-in'),
  });

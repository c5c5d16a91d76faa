import { useMutation } from '@tanstack/react-query';
import { api, askFor } from '../api/client.js';

/** Goes to the platform's consent page, which redirects to /accounts. */
export const useConnect = () =>
  useMutation({
    mutationFn: () => askFor(api.POST('/api/v1/social-accounts/connect', { body: {} })),
    onSuccess: ({ authorize_url }) => window.location.assign(authorize_url),
  });

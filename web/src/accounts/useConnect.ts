import { useMutation } from '@tanstack/react-query';
import { api } from '../api/client.js';

/** Goes to the platform's consent page, which redirects to /accounts. With an id, that account is to be reconnected. */
export const useConnect = () =>
  useMutation({
    mutationFn: (accountId?: string) =>
      api.data('POST', '/api/v1/social-accounts/connect', {
        body: accountId === undefined ? {} : { social_account_id: accountId },
      }),
    onSuccess: ({ authorize_url }) => window.location.assign(authorize_url),
  });

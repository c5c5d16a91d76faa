import { queryOptions } from '@tanstack/react-query';
import { api, askFor } from '../api/client.js';

/** Whether this browser has a session, and who may sign up. */
export const entranceQuery = queryOptions({
  queryKey: ['entrance'],
  queryFn: () => askFor(api.GET('/api/v1/auth')),
  staleTime: 0,
});

import { queryOptions } from '@tanstack/react-query';
import { api, askFor } from '../api/client.js';

/** Whether somebody is signed in here, and who may sign up. */
export const entranceQuery = queryOptions({
  queryKey: ['entrance'],
  queryFn: () => askFor(api.GET('/api/v1/auth')),
  staleTime: 0,
});

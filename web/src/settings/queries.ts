// Who has access: keys, members, invitations and sessions; and what was done.
import type { paths } from '@airdate/sdk/core';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { queryKeys } from '../api/query-keys.js';

type Listed<Path extends '/api/v1/members' | '/api/v1/invitations' | '/api/v1/auth/sessions'> =
  paths[Path]['get']['responses'][200]['content']['application/json']['data'][number];

export type Member = Listed<'/api/v1/members'>;
export type Invitation = Listed<'/api/v1/invitations'>;
export type Session = Listed<'/api/v1/auth/sessions'>;

export const keysQuery = queryOptions({
  queryKey: queryKeys.apiKeys,
  queryFn: () => api.data('GET', '/api/v1/keys', { query: { per_page: 100 } }),
});

export type KeyDetails =
  paths['/api/v1/keys/{id}']['get']['responses'][200]['content']['application/json']['data'];

/** With what ends when it is revoked. Always asked again: an app may have used the key meanwhile. */
export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.apiKey(id),
    queryFn: () => api.data('GET', '/api/v1/keys/{id}', { path: { id } }),
    staleTime: 0,
  });

export const membersQuery = queryOptions({
  queryKey: queryKeys.members,
  queryFn: () => api.data('GET', '/api/v1/members'),
});

export const memberQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.member(id),
    queryFn: () => api.data('GET', '/api/v1/members/{id}', { path: { id } }),
    staleTime: 0,
  });

export const invitationsQuery = queryOptions({
  queryKey: queryKeys.invitations,
  queryFn: () => api.data('GET', '/api/v1/invitations'),
});

export const sessionsQuery = queryOptions({
  queryKey: queryKeys.sessions,
  queryFn: () => api.data('GET', '/api/v1/auth/sessions'),
});

export const factorsQuery = queryOptions({
  queryKey: queryKeys.factors,
  queryFn: () => api.request('GET', '/api/v1/auth/factors'),
});

export type Factor =
  paths['/api/v1/auth/factors']['get']['responses'][200]['content']['application/json']['data'][number];

export type AuditQuery = NonNullable<paths['/api/v1/audit']['get']['parameters']['query']>;

export const auditQuery = (query: AuditQuery) =>
  queryOptions({
    queryKey: queryKeys.audit(query),
    queryFn: () => api.request('GET', '/api/v1/audit', { query }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

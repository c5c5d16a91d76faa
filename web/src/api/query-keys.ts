// The key of every query, and which of them a change refreshes: a key that begins with another one is part of it. No other file
// spells a key; server/test/rules/query-keys.test.ts checks it.
import type { QueryOf } from '@airdate/sdk/core';

export type PostsQuery = QueryOf<'listPosts'>;

const posts = ['posts'] as const;
const postLists = [...posts, 'list'] as const;
const postCounts = [...posts, 'counts'] as const;
const calendar = [...posts, 'calendar'] as const;
const post = (id: string) => [...posts, 'one', id] as const;
const accounts = ['accounts'] as const;
const analytics = ['analytics'] as const;
const apiKeys = ['keys'] as const;
const members = ['members'] as const;
const webhooks = ['webhooks'] as const;

export const queryKeys = {
  me: ['me'],
  quotas: ['quotas'],
  labels: ['labels'],
  snippets: ['snippets'],

  posts,
  postLists,
  postList: (query: PostsQuery) => [...postLists, query] as const,
  attention: [...posts, 'attention'],
  postCounts,
  postCountsOf: (query: object) => [...postCounts, query] as const,
  calendar,
  calendarItems: (from: number, to: number, account: string | undefined, status: string | undefined) =>
    [...calendar, from, to, account ?? '', status ?? ''] as const,

  post,
  assets: (id: string) => [...post(id), 'assets'] as const,
  dispatches: (id: string) => [...post(id), 'dispatches'] as const,
  publishStatus: (id: string) => [...post(id), 'publish-status'] as const,
  readiness: (id: string) => [...post(id), 'readiness'] as const,
  preflight: (id: string) => [...post(id), 'preflight'] as const,

  accounts,
  creator: (id: string) => [...accounts, id, 'creator'] as const,
  scheduledPosts: (accountId: string) => [...accounts, accountId, 'scheduled'] as const,

  analytics,
  timeline: (days: number) => [...analytics, 'timeline', days] as const,
  attempts: (page: number, outcome: string | undefined, reason: string | undefined) =>
    [...analytics, 'dispatches', page, outcome, reason] as const,

  apiKeys,
  apiKey: (id: string) => [...apiKeys, id] as const,
  members,
  member: (id: string) => [...members, id] as const,
  invitations: ['invitations'],
  sessions: ['sessions'],
  factors: ['factors'],
  audit: (query: object) => ['audit', query] as const,
  webhooks,
  webhookList: [...webhooks, 'list'],
  webhookLog: (id: string, query: object) => [...webhooks, 'log', id, query] as const,

  authState: ['auth-state'],
  signedIn: ['signed-in'],
  isSignedIn: ['is-signed-in'],
  invitation: (token: string) => ['invitation', token] as const,
} as const;

/** What an account changes of posts: whether they will go out. */
export const OF_MANY_POSTS = [postLists, calendar, queryKeys.attention, postCounts];

/** The readiness of any post. */
export const isReadiness = (key: readonly unknown[]): boolean =>
  key[0] === posts[0] && key[1] === 'one' && key[3] === 'readiness';

/** What a list of posts was asked for with. */
export const queryOfList = (key: readonly unknown[]): PostsQuery => key[postLists.length] as PostsQuery;

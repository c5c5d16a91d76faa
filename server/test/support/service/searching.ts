// Shared by the tests of the search: many posts together, and searches with bounds so small that few posts reach them.

import { createPost } from '../../../src/posts/create.js';
import { resolveListQuery } from '../../../src/posts/list/query.js';
import type { ListPosts } from '../../../src/posts/list/schema.js';
import { type Limits, SEARCH_LIMITS, searchPosts } from '../../../src/posts/list/search.js';
import type { CreatePost } from '../../../src/posts/schema.js';
import { splitWords } from '../../../src/posts/text.js';
import type { CallerWithAddress } from '../../../src/request/caller.js';
import type { Organization, TestService } from './harness.js';

/** Looks at 20 posts, and at 10 if the index knows more; a busy machine has all the time it needs. */
export const SMALL: Limits = {
  ...SEARCH_LIMITS,
  newest: 20,
  newestWithoutIndex: 15,
  first: 10,
  ms: 60_000,
  statementMs: 15_000,
};

/** Posts, the oldest first, written by the service's own use case. Returns their ids. */
export function addPosts({ app }: TestService, org: Organization, posts: CreatePost[]): Promise<string[]> {
  const caller = { orgId: org.id, plan: 'growth', quotas: null } as CallerWithAddress;
  return app.db.transact(async (tx) => {
    const ids: string[] = [];
    for (const post of posts) ids.push((await createPost(app, tx, caller, post)).id);
    return ids;
  });
}

/** On SQLite, has the index written; a search knows by itself what is still pending. */
export async function settleIndex({ app }: TestService): Promise<void> {
  while (await app.db.indexPendingBatch());
}

/** This many posts without a word that a test looks for. */
export const fillers = (count: number): CreatePost[] =>
  Array.from({ length: count }, (_, n) => ({ title: `Number ${n}` }));

export interface Asked {
  limits?: Limits;
  input?: ListPosts;
  /** As if the database had refused to have an index. */
  withoutIndex?: true;
}

export async function search(service: TestService, org: Organization, q: string, asked: Asked = {}) {
  const { limits = SMALL, input = {}, withoutIndex } = asked;
  const app = withoutIndex ? { ...service.app, postIndex: null } : service.app;
  const query = await resolveListQuery(app, org.id, input);
  const { matches, progress } = await searchPosts(app, query, splitWords(q), limits);
  return { ids: matches.map(({ id }) => id), progress };
}

export const searchIds = async (...args: Parameters<typeof search>) => (await search(...args)).ids;

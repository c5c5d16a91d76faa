// Shared by the tests of the search: many posts at once, searches with bounds so small that few posts reach them, and posts as
// a process of the previous release writes them.
import { sql } from 'kysely';
import type { ActingCaller } from '../../src/api/caller.js';
import { recordPostChanges } from '../../src/posts/counters.js';
import { createPost } from '../../src/posts/create.js';
import { resolveFilter } from '../../src/posts/list/filter.js';
import type { ListPosts } from '../../src/posts/list/schema.js';
import type { CreatePost } from '../../src/posts/schema.js';
import type { Limits } from '../../src/posts/search/find.js';
import { LIMITS, searchPosts } from '../../src/posts/search/search.js';
import { wordsOf } from '../../src/posts/search/text.js';
import type { Organization, TestService } from './harness.js';

/** Looks at 20 posts, and at 10 if the index knows more; a busy machine has all the time it needs. */
export const SMALL: Limits = {
  ...LIMITS,
  newest: 20,
  newestWithoutIndex: 15,
  first: 10,
  ms: 60_000,
  statementMs: 15_000,
};

/** Posts, the oldest first, written by the service's own use case. Returns their ids. */
export function addPosts({ app }: TestService, org: Organization, posts: CreatePost[]): Promise<string[]> {
  const caller = { orgId: org.id, plan: 'growth', quotas: null } as ActingCaller;
  return app.db.transact(async (tx) => {
    const ids: string[] = [];
    for (const post of posts) ids.push((await createPost(app, tx, caller, post)).id);
    return ids;
  });
}

/** On SQLite, has the index written; a search knows by itself what is still pending. */
export async function settleIndex({ app }: TestService): Promise<void> {
  while (await app.db.tidy());
}

/** So many posts without a word that a test looks for. */
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
  const filter = await resolveFilter(app, org.id, input);
  const { matches, progress } = await searchPosts(app, filter, input, wordsOf(q), limits);
  return { ids: matches.map(({ id }) => id), progress };
}

export const searchIds = async (...args: Parameters<typeof search>) => (await search(...args)).ids;

export interface OldText {
  title: string;
  caption?: string;
  hashtags?: string;
}

/** The previous release's text: of title and caption. */
const oldText = ({ title, caption }: OldText) => [title, caption ?? ''].join('\n').toLowerCase().trim();

/** A post as a process of the previous release creates it. */
export async function addOldPost({ app }: TestService, org: Organization, text: OldText): Promise<string> {
  const now = app.clock.now();
  const post = {
    org_id: org.id,
    id: app.newId(),
    post_type: 'slides' as const,
    status: 'draft' as const,
    posted_at: null,
    social_account_id: null,
    created_at: now,
    updated_at: now,
    search_text: oldText(text),
    ...text,
  };
  await app.db.transact(async (tx) => {
    await tx.insertInto('posts').values(post).execute();
    await recordPostChanges(tx, [{ after: post }]);
  });
  return post.id;
}

/** A change as a process of the previous release makes it. */
export async function changeOldPost({ app }: TestService, id: string, text: Partial<OldText>): Promise<void> {
  const changes = text.title ? { ...text, search_text: oldText({ title: text.title }) } : text;
  await app.db.transact((tx) => tx.updateTable('posts').set(changes).where('id', '=', id).execute());
}

/** As if its posts had been there before the index was. */
export async function forgetIndex({ app }: TestService, org: Organization): Promise<void> {
  await app.db.transact(async (tx) => {
    await tx.deleteFrom('post_search').where('org_id', '=', org.id).execute();
    await tx
      .insertInto('organizations_to_index')
      .values({ org_id: org.id, created_at: -1, post_id: '00000000-0000-0000-0000-000000000000', batches: 0 })
      .execute();
  });
}

/** How much is still to be indexed of all organizations. */
export async function unindexed({ app }: TestService): Promise<{ posts: number; organizations: number }> {
  const count = async (table: 'posts_to_index' | 'organizations_to_index') =>
    (await app.db.read.selectFrom(table).select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow()).n;
  return { posts: await count('posts_to_index'), organizations: await count('organizations_to_index') };
}

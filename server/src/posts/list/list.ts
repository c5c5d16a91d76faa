// Lists of posts whose cost depends on the page, not on the size of the organization: query.ts says which posts, choose.ts how they
// are read, run.ts reads them.
import { requireKnownAccount } from '../../accounts/accounts.js';
import type { App } from '../../app/app.js';
import type { Reader } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { PostRow } from '../../db/tables.js';
import type { Caller } from '../../request/caller.js';
import { type Page, pageWindow, paginate } from '../../request/pagination.js';
import { requireKnownLabel } from '../labels/labels.js';
import { getPostRow } from '../posts.js';
import { etagOf, presentPost } from '../present.js';
import { failuresOf, readinessOfPosts } from '../readiness/load.js';
import type { Post } from '../schema.js';
import { choose } from './choose.js';
import { addCovers } from './covers.js';
import { readCursor, writeCursor } from './cursor.js';
import type { Order, Sorted } from './orders.js';
import { resolveListQuery } from './query.js';
import { run } from './run.js';
import { type IncludeInPost, includes, type ListPosts } from './schema.js';

interface PostPage extends Page<Post> {
  next_cursor?: string | null;
}

export async function listPosts(app: App, caller: Caller, given: ListPosts): Promise<PostPage> {
  const { orgId } = caller;
  const input = { ...given };
  if (given.social_account_id) {
    input.social_account_id = given.social_account_id.toLowerCase();
    await requireKnownAccount(app.db.read, orgId, input.social_account_id);
  }
  if (given.label) {
    input.label = given.label.toLowerCase();
    await requireKnownLabel(app.db.read, orgId, input.label);
  }
  const cursor = readCursor(app, orgId, input);
  const { limit, offset } = pageWindow(input);
  // With a cursor one more, to know whether there is a next page.
  const slice = cursor ? { limit: limit + 1, offset: 0, ...cursor } : { limit, offset, after: null };
  const query = await resolveListQuery(app, orgId, input);
  const found = await run(app, choose(query, slice), query, slice);
  const rows = found.rows.slice(0, limit);
  const posts = rows.map(presentPost);
  if (input.include !== undefined)
    await app.queues.covers(orgId, () => addIncluded(app, orgId, rows, posts, input.include));
  const page = paginate(posts, input, found.total);
  if (cursor === null) return page;
  const last = found.rows.length > limit ? rows.at(-1) : undefined;
  const next = last && (await cursorOf(app.db.read, last, query.order));
  return { ...page, next_cursor: next ? writeCursor(app, orgId, input, next) : null };
}

async function cursorOf(read: Reader, row: PostRow, { column }: Order): Promise<Sorted> {
  const { id } = row;
  if (column !== 'title_key') return { id, sorted_by: row[column] };
  const found = await read.selectFrom('posts').select('title_key').where(isRow(row)).executeTakeFirst();
  return { id, sorted_by: found?.title_key ?? null };
}

/** One post, as the list shows it. Its ETag is null with `include`. */
export async function showPost(
  app: App,
  caller: Caller,
  id: string,
  { include }: IncludeInPost,
): Promise<{ post: Post; etag: string | null }> {
  const row = await getPostRow(app, caller, id);
  const post = presentPost(row);
  if (include === undefined) return { post, etag: etagOf(row) };
  await addIncluded(app, caller.orgId, [row], [post], include);
  return { post, etag: null };
}

/** Adds to posts what `include` asks for. `rows` are theirs, in the same order. */
async function addIncluded(
  app: App,
  orgId: string,
  rows: PostRow[],
  posts: Post[],
  include: string | undefined,
): Promise<void> {
  if (includes(include, 'cover')) await addCovers(app, orgId, posts);
  if (!includes(include, 'readiness')) return;
  const readiness = await readinessOfPosts(app, app.db.read, orgId, rows);
  const failures = await failuresOf(app.db.read, orgId, rows);
  for (const post of posts) {
    post.readiness = readiness.get(post.id) ?? null;
    post.failed_at = failures.get(post.id) ?? null;
  }
}

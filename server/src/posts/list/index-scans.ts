// Posts of some kinds, newest first, as a merge of walks along one index.
//
// The counters know how many posts each (status, type) has, so a total needs no counting, and a walk is taken only for
// kinds that are wanted and not empty.
import type { SelectQueryBuilder } from 'kysely';
import type { App } from '../../api/app.js';
import type { Reader } from '../../db/database.js';
import type { PostRow, PostTable, Tables } from '../../db/tables.js';
import type { ListPosts } from '../schema.js';
import { POST_STATUSES, type PostStatus } from '../state.js';

type Kind = Pick<PostRow, 'status' | 'post_type'>;

export interface Wanted {
  orgId: string;
  /** Null: of any status. */
  statuses: PostStatus[] | null;
  accountId: string | null;
  /** What there is of the wanted status, type and account. */
  kinds: Kind[];
  total: number;
}

export async function findWanted(app: App, orgId: string, input: ListPosts): Promise<Wanted> {
  const statuses = wantedStatuses(input);
  const accountId = input.social_account_id ?? null;
  const all = await (accountId ? app.reads.postKindsOfAccount(orgId, accountId) : app.reads.postKinds(orgId));
  const kinds = all.filter(
    (kind) =>
      kind.n > 0 &&
      (statuses?.includes(kind.status) ?? true) &&
      (input.post_type === undefined || kind.post_type === input.post_type),
  );
  return { orgId, statuses, accountId, kinds, total: kinds.reduce((sum, { n }) => sum + n, 0) };
}

/** These columns of the `most` newest wanted posts, newest first. There must be wanted kinds. */
export function newestFirst<C extends keyof PostTable>(
  read: Reader,
  wanted: Wanted,
  columns: readonly C[],
  most: number,
) {
  // Each walk ends at `most`, even if it alone had to fill everything. Without that bound SQLite, once it has statistics,
  // sorts whole kinds before it merges: 126 times slower at a million posts.
  const ordered = (kind: Kind) =>
    read
      .selectFrom(
        walk(read, wanted, kind, columns)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(most)
          .as('walk'),
      )
      .selectAll();
  const [first, ...others] = wanted.kinds as [Kind, ...Kind[]];
  const merged = others.reduce((all, kind) => all.unionAll(ordered(kind)), ordered(first));
  // The row type of a generic selection is beyond the compiler; it is these columns of posts.
  const walks = read.selectFrom(merged.as('walks')) as unknown as SelectQueryBuilder<
    { walks: Pick<PostTable, C | 'created_at' | 'id'> },
    'walks',
    object
  >;
  return walks.orderBy('created_at' as never, 'desc').orderBy('id' as never, 'desc');
}

function walk(
  read: Reader,
  { orgId, accountId }: Wanted,
  kind: Kind,
  columns: readonly (keyof Tables['posts'])[],
) {
  let query = read
    .selectFrom('posts')
    .select(columns)
    .select(['created_at', 'id'])
    .where('org_id', '=', orgId);
  if (accountId) query = query.where('social_account_id', '=', accountId);
  return query.where('status', '=', kind.status).where('post_type', '=', kind.post_type);
}

function wantedStatuses(input: ListPosts): PostStatus[] | null {
  if (input.status === undefined) return null;
  const wanted = new Set(input.status.split(','));
  const statuses = POST_STATUSES.filter((status) => wanted.has(status));
  return statuses.length === POST_STATUSES.length ? null : statuses;
}

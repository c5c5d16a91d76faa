// One statement of a search: looks at some posts, and says of each whether it matches.
import { type AliasedExpression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../db/database.js';
import type { PostRow, PostSearchTable, Tables } from '../../db/tables.js';
import { boundsOf } from '../list/bounds.js';
import { type Place, SEARCHED_COLUMNS, type Wanted } from '../list/index-scans.js';
import type { ListPosts } from '../schema.js';
import { foldForSearch } from './text.js';

export interface Query {
  engine: 'sqlite' | 'postgres';
  wanted: Wanted;
  input: ListPosts;
  words: readonly string[];
  /** Whether every post's text is in post_search. If not, that of some posts is folded on the way. */
  isIndexed: boolean;
}

export interface Looked extends Place {
  scheduled_at: number | null;
  isMatch: boolean;
  /** The length of its text. */
  bytes: number;
}

type Searched = Pick<PostRow, (typeof SEARCHED_COLUMNS)[number]>;
/** The posts to look at. */
type Posts = AliasedExpression<Searched, 'p'>;

export async function look(read: Reader, query: Query, posts: Posts): Promise<Looked[]> {
  const { wanted, words, isIndexed } = query;
  const asked = read
    .selectFrom(posts)
    .leftJoin('post_search as s', (join) =>
      join.on('s.org_id', '=', wanted.orgId).onRef('s.post_id', '=', 'p.id'),
    )
    .select(['p.id', 'p.created_at', 'p.scheduled_at'])
    .select((eb) => [
      flag(eb.and(conditions(eb as never, query))).as('passes'),
      flag(eb.and(contains(query))).as('contains'),
      sql<number>`coalesce(octet_length(s.content), 0)`.as('bytes'),
    ]);
  if (isIndexed)
    return (await asked.execute()).map(({ passes, contains, ...post }) => ({
      ...post,
      isMatch: passes === 1 && contains === 1,
    }));
  const rows = await asked
    .leftJoin('posts as unindexed', (join) =>
      join
        .on('unindexed.org_id', '=', wanted.orgId)
        .onRef('unindexed.id', '=', 'p.id')
        .on((eb) => eb.or([eb('s.post_id', 'is', null), eb.exists(listed(read, wanted.orgId))])),
    )
    .select(['unindexed.title', 'unindexed.caption', 'unindexed.hashtags'])
    .execute();
  return rows.map(({ passes, contains, title, caption, hashtags, ...post }) => {
    if (passes === 0 || title === null) return { ...post, isMatch: passes === 1 && contains === 1 };
    const text = foldForSearch({ title, caption, hashtags });
    return { ...post, isMatch: words.every((word) => text.includes(word)), bytes: 2 * text.length };
  });
}

/** Posts with these ids, if they are wanted. */
export function wantedPosts(read: Reader, wanted: Wanted, ids: string[]): Posts {
  const { orgId, statuses, postType, accountId } = wanted;
  let posts = read.selectFrom('posts').where('org_id', '=', orgId).where('id', 'in', padded(ids));
  if (statuses) posts = posts.where('status', 'in', statuses);
  if (postType) posts = posts.where('post_type', '=', postType);
  if (accountId) posts = posts.where('social_account_id', '=', accountId);
  return posts.select(SEARCHED_COLUMNS).as('p');
}

/** Up to a power of two: SQLite keeps each statement that it has compiled, and there should be few. */
function padded(ids: string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return [...ids, ...Array<string>(length - ids.length).fill(ids[0] as string)];
}

const listed = (read: Reader, orgId: string) =>
  read
    .selectFrom('posts_to_index')
    .select('posts_to_index.id')
    .where('posts_to_index.org_id', '=', orgId)
    .where(sql<boolean>`posts_to_index.post_id = p.id`);

const flag = (condition: ReturnType<ExpressionBuilder<Tables, never>['and']>) =>
  sql<number>`case when ${condition} then 1 else 0 end`;

/** Both engines look for text in the same way, and name it differently. */
function contains({ engine, words }: Query) {
  const position = sql.raw(engine === 'sqlite' ? 'instr' : 'strpos');
  return words.map((word) => sql<SqlBool>`${position}(s.content, ${word}) > 0`);
}

/** Each in a time that does not depend on the organization. */
function conditions(
  eb: ExpressionBuilder<Tables & { p: Searched; s: PostSearchTable }, 'p' | 's'>,
  { wanted, input }: Query,
) {
  const bounds = boundsOf(input).map(({ column, side, at }) => eb(`p.${column}`, side, at));
  if (!input.needs_attention) return bounds;
  const lost = eb
    .selectFrom('social_accounts as account')
    .select('account.id')
    .where('account.org_id', '=', wanted.orgId)
    .whereRef('account.id', '=', 'p.social_account_id')
    .where('account.status', '<>', 'connected');
  return [
    ...bounds,
    eb('p.status', '<>', 'archived'),
    eb.or([
      eb('p.last_publish_error', 'is not', null),
      eb.and([eb('p.status', '=', 'scheduled'), eb.exists(lost)]),
    ]),
  ];
}

// The statements of a search: each looks at some posts, and says of each post whether it matches.
import {
  type AliasedExpression,
  type Compilable,
  type ExpressionBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely';
import type { Reader, SearchTraits } from '../../db/database.js';
import { prepareRead } from '../../db/prepared-statements.js';
import type { PostSearchTable, PostTable, Tables } from '../../db/tables.js';
import { needsAttention } from '../attention/needing-attention.js';
import { newestAfter, type ScanCursor, SEARCHED_COLUMNS } from './index-scans.js';
import { NEWEST_FIRST } from './orders.js';
import { filteredPosts, type ListQuery } from './query.js';

/** What is searched for. */
export interface SearchQuery extends ListQuery {
  words: readonly string[];
  /** Both engines look for text in the same way, and name it differently. */
  position: SearchTraits['position'];
  /** If only posts that need attention are wanted: those that will fail. */
  failing: readonly string[];
  now: number;
}

export interface Match extends ScanCursor {
  /** The value that the list is sorted by. */
  sorted_by: number | string | null;
}

/** What one statement has found. */
export interface Compared {
  matches: Match[];
  /** How many posts it looked at, and the length of their text. */
  posts: number;
  bytes: number;
  /** The oldest of them. */
  last: ScanCursor | null;
}

type Searched = Pick<Selectable<PostTable>, (typeof SEARCHED_COLUMNS)[number]>;
/** The posts to look at. */
type Posts = AliasedExpression<Searched, 'p'>;

/** Looks at the newest posts after a cursor, or from the newest on. */
export function compareNewest(
  read: Reader,
  query: SearchQuery,
): (after: ScanCursor | null, limit: number) => Promise<Compared> {
  const ask = prepareRead((read, created_at: number, id: string, limit: number) =>
    matchQuery(read, query, newestAfter(read, query, { created_at, id }, limit).as('p')),
  );
  return async (after, limit) => {
    const { created_at, id } = after ?? BEFORE_ALL;
    return evaluate(await ask(read, created_at, id, limit));
  };
}

const BEFORE_ALL: ScanCursor = {
  created_at: Number.MAX_SAFE_INTEGER,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** Looks at the posts with these ids, of which there is at least one, if they are wanted. */
export function compareAmong(read: Reader, query: SearchQuery): (ids: string[]) => Promise<Compared> {
  const asks = new Map<number, (read: Reader, ...ids: string[]) => Promise<Row[]>>();
  return async (ids) => {
    // Up to a power of two: SQLite keeps each statement that it has compiled, and there should be few.
    const length = 2 ** Math.ceil(Math.log2(ids.length));
    const all = [...ids, ...Array<string>(length - ids.length).fill(ids[0] as string)];
    let ask = asks.get(length);
    if (!ask) {
      ask = prepareRead((read, ...some: string[]) =>
        matchQuery(
          read,
          query,
          filteredPosts(read, query).where('id', 'in', some).select(SEARCHED_COLUMNS).as('p'),
        ),
      );
      asks.set(length, ask);
    }
    return evaluate(await ask(read, ...all));
  };
}

interface Row extends Match {
  /** Whether it meets the other conditions. */
  passes: number;
  /** Whether the text in post_search contains all words. */
  contains: number;
  bytes: number;
}

function matchQuery(read: Reader, query: SearchQuery, posts: Posts): Compilable<Row> {
  const { orgId, words, position, order } = query;
  return read
    .selectFrom(posts)
    .leftJoin('post_search as s', (join) => join.on('s.org_id', '=', orgId).onRef('s.post_id', '=', 'p.id'))
    .select(['p.id', 'p.created_at'])
    .select((eb) => [
      // Without it, SQLite need not read the post itself.
      sql<number | string | null>`${sql.raw(order === NEWEST_FIRST ? 'null' : `p.${order.column}`)}`.as(
        'sorted_by',
      ),
      flag(eb.and(conditions(eb as never, read, query))).as('passes'),
      flag(eb.and(words.map((word) => sql<SqlBool>`${sql.raw(position)}(s.content, ${word}) > 0`))).as(
        'contains',
      ),
      sql<number>`coalesce(octet_length(s.content), 0)`.as('bytes'),
    ]);
}

function evaluate(rows: Row[]): Compared {
  const compared: Compared = { matches: [], posts: rows.length, bytes: 0, last: null };
  for (const row of rows) {
    const { last } = compared;
    if (last === null || isOlder(row, last)) compared.last = row;
    compared.bytes += row.bytes;
    if (row.contains === 1 && row.passes === 1) compared.matches.push(row);
  }
  return compared;
}

export const isOlder = (a: ScanCursor, b: ScanCursor) =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id);

const flag = (condition: ReturnType<ExpressionBuilder<Tables, never>['and']>) =>
  sql<number>`case when ${condition} then 1 else 0 end`;

/** The other conditions of the list. Checking each takes a time that does not depend on the organization. */
function conditions(
  eb: ExpressionBuilder<Tables & { p: Searched; s: PostSearchTable }, 'p' | 's'>,
  read: Reader,
  query: SearchQuery,
) {
  const { orgId, labelId } = query;
  const bounds = query.bounds.map(({ column, side, at }) => eb(`p.${column}`, side, at));
  const labelled = eb
    .selectFrom('post_labels as labelled')
    .select('labelled.label_id')
    .where('labelled.org_id', '=', orgId)
    .whereRef('labelled.post_id', '=', 'p.id');
  const others = labelId ? [...bounds, eb.exists(labelled.where('labelled.label_id', '=', labelId))] : bounds;
  if (!query.needsAttention) return others;
  return [...others, needsAttention(read, orgId, query.now, query.failing)];
}

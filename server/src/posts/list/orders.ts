// The orders of a list. Ties go by id, in the direction of the order; posts without the value come last, whichever the direction.
import type { ListPosts, SORTS } from './schema.js';

export interface Order {
  column: 'created_at' | 'updated_at' | 'scheduled_at' | 'posted_at' | 'title_key';
  direction: 'asc' | 'desc';
  /** Whether posts may lack the value. */
  isNullable: boolean;
}

const both = (column: Order['column'], isNullable: boolean) => ({
  asc: { column, direction: 'asc' as const, isNullable },
  desc: { column, direction: 'desc' as const, isNullable },
});
const created = both('created_at', false);
const updated = both('updated_at', false);
const scheduled = both('scheduled_at', true);
const posted = both('posted_at', true);
const title = both('title_key', false);

const ORDERS: Record<(typeof SORTS)[number], Order> = {
  '-created_at': created.desc,
  created_at: created.asc,
  '-updated_at': updated.desc,
  updated_at: updated.asc,
  '-scheduled_at': scheduled.desc,
  scheduled_at: scheduled.asc,
  '-posted_at': posted.desc,
  posted_at: posted.asc,
  '-title': title.desc,
  title: title.asc,
};

export const NEWEST_FIRST = ORDERS['-created_at'];

export const orderOf = ({ sort = '-created_at' }: Pick<ListPosts, 'sort'>): Order => ORDERS[sort];

interface Sortable<Query> {
  orderBy(column: Order['column'] | 'id', modifiers: (builder: Modifiers) => Modifiers): Query;
}
interface Modifiers {
  asc(): Modifiers;
  desc(): Modifiers;
  nullsLast(): Modifiers;
}

/** Sorts the rows of a query that are few, or that come along an index without nulls. */
export function inOrder<Query extends Sortable<Query>>(query: Query, order: Order): Query {
  const { column, direction, isNullable } = order;
  const ordered = query.orderBy(column, (by) => (isNullable ? by[direction]().nullsLast() : by[direction]()));
  return ordered.orderBy('id', (by) => by[direction]());
}

/** A post's position in an order. */
export interface Sorted {
  id: string;
  /** The value of the order's column. */
  sorted_by: number | string | null;
}

/** Compares as the databases do: text byte by byte. */
export function compareIn({ direction }: Order): (a: Sorted, b: Sorted) => number {
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => {
    if (a.sorted_by === null || b.sorted_by === null) {
      const nulls = Number(a.sorted_by === null) - Number(b.sorted_by === null);
      if (nulls !== 0) return nulls;
    } else {
      const values = compareValues(a.sorted_by, b.sorted_by);
      if (values !== 0) return sign * values;
    }
    return sign * (a.id < b.id ? -1 : Number(a.id > b.id));
  };
}

const compareValues = (a: number | string, b: number | string) =>
  typeof a === 'number' ? a - (b as number) : Buffer.compare(Buffer.from(a), Buffer.from(b as string));

// The orders of a list. Ties go by id, in the direction of the order; posts without the value come last.
import type { ListPosts, SORTS } from './schema.js';

export interface Order {
  column: 'created_at' | 'scheduled_at' | 'posted_at' | 'title_key';
  direction: 'asc' | 'desc';
  /** Whether posts may lack the value. */
  isNullable: boolean;
}

const ORDERS: Record<(typeof SORTS)[number], Order> = {
  '-created_at': { column: 'created_at', direction: 'desc', isNullable: false },
  scheduled_at: { column: 'scheduled_at', direction: 'asc', isNullable: true },
  '-posted_at': { column: 'posted_at', direction: 'desc', isNullable: true },
  title: { column: 'title_key', direction: 'asc', isNullable: true },
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

/** Nulls are named only where there are any: Postgres uses no index whose order has another place for them. */
export function inOrder<Query extends Sortable<Query>>(query: Query, order: Order): Query {
  const { column, direction, isNullable } = order;
  const ordered = query.orderBy(column, (by) => (isNullable ? by[direction]().nullsLast() : by[direction]()));
  return ordered.orderBy('id', (by) => by[direction]());
}

interface Sorted {
  id: string;
  /** The value of the order's column. */
  sorted_by: number | string | null;
}

/** As the databases compare: text byte by byte. */
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
    return sign * (a.id < b.id ? -1 : 1);
  };
}

const compareValues = (a: number | string, b: number | string) =>
  typeof a === 'number' ? a - (b as number) : Buffer.compare(Buffer.from(a), Buffer.from(b as string));

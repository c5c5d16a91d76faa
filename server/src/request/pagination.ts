// Pagination: the parameters of a list, and the object that describes the page.
import type { AliasedExpression } from 'kysely';
import { type Static, type TSchema, Type } from 'typebox';
import type { Reader } from '../db/database.js';
import { ref } from './schema.js';

export const MAX_PAGE = 1000;
export const MAX_PER_PAGE = 100;

/** Paging ends after this many rows, so no total needs to count further. */
export const MAX_REACHABLE = MAX_PAGE * MAX_PER_PAGE;

/** Up to this offset, skipping whole rows costs less than finding ids first. Pages further down are expensive reads. */
export const FAR_OFFSET = 1_000;

const parametersOf = (maximum: number, usual: number) => ({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum, default: usual })),
});

export const paginationParameters = parametersOf(MAX_PER_PAGE, 20);

/** The parameters of a list that never has more entries: unless fewer are asked for, one page has all of them. */
export const shortListParameters = (maxEntries: number) => parametersOf(maxEntries, maxEntries);

export const PageParameters = Type.Object(paginationParameters, { additionalProperties: false });
export type PageParameters = Static<typeof PageParameters>;

export const Pagination = Type.Object(
  { page: Type.Integer(), per_page: Type.Integer(), total: Type.Integer(), total_pages: Type.Integer() },
  { $id: 'Pagination', examples: [{ page: 1, per_page: 20, total: 41, total_pages: 3 }] },
);
export type Pagination = Static<typeof Pagination>;

export interface Page<T> {
  data: T[];
  pagination: Pagination;
}

export const pageOf = <T extends TSchema>(item: T) =>
  Type.Object(
    { data: Type.Array(item), pagination: ref<Pagination>('Pagination') },
    { description: 'One page of the list' },
  );

/** Where a page begins and how long it is, with the defaults filled in. */
export function pageWindow({ page = 1, per_page = 20 }: PageParameters) {
  return { page, per_page, limit: per_page, offset: (page - 1) * per_page };
}

interface Countable {
  limit(limit: number): { as(name: 'reachable'): AliasedExpression<object, 'reachable'> };
}

/** Counts as far as one can page. */
export async function countReachable(
  read: Reader,
  found: Countable,
  maxReachable = MAX_REACHABLE,
): Promise<number> {
  const { n } = await read
    .selectFrom(found.limit(maxReachable).as('reachable'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Whole rows in the order of a page of their ids. */
export function inOrderOf<Row extends { id: string }>(page: readonly { id: string }[], rows: Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return page.map(({ id }) => byId.get(id)).filter((row) => row !== undefined);
}

/** The only page of a list that takes no parameters. */
export function onePage<T>(data: T[]): Page<T> {
  return paginate(data, { per_page: Math.max(1, data.length) }, data.length);
}

export function paginate<T>(data: T[], parameters: PageParameters, total: number): Page<T> {
  const { page, per_page } = pageWindow(parameters);
  return { data, pagination: { page, per_page, total, total_pages: Math.ceil(total / per_page) } };
}

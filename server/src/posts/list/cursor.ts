// Cursors of lists: the position of the last post that was shown, signed for the organization, the filters and the order.

import type { App } from '../../app/app.js';
import { invalid } from '../../core/problems.js';
import type { Sorted } from './orders.js';
import type { ListPosts } from './schema.js';

/** Null: the list is read by pages. `after` is null for the first page. */
export function readCursor({ seal }: App, orgId: string, input: ListPosts): { after: Sorted | null } | null {
  const { cursor } = input;
  if (cursor === undefined) return null;
  // A page that is not sent is page 1.
  if (input.page !== undefined && input.page !== 1)
    throw invalid([{ pointer: '/page', message: 'cannot be combined with cursor' }]);
  if (cursor === '') return { after: null };
  const position = seal.verify(cursor, listOf(orgId, input));
  if (position === null)
    throw invalid([
      {
        pointer: '/cursor',
        message: 'must be empty, or next_cursor of a page of this list, with the same filters and order',
      },
    ]);
  const [sorted_by, id] = JSON.parse(position) as [Sorted['sorted_by'], string];
  return { after: { sorted_by, id } };
}

export const writeCursor = ({ seal }: App, orgId: string, input: ListPosts, { sorted_by, id }: Sorted) =>
  seal.sign(JSON.stringify([sorted_by, id]), listOf(orgId, input));

function listOf(orgId: string, input: ListPosts): string[] {
  const { cursor: _cursor, page: _page, per_page: _perPage, include: _include, ...list } = input;
  return ['posts', orgId, JSON.stringify(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)))];
}

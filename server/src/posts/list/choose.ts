// How a list is read: a pure choice, made from the request and from what the counters know, before any post is read.
import { FAR_OFFSET } from '../../request/pagination.js';
import { FEW_POSTS } from '../counters.js';
import { splitWords } from '../text.js';
import { NEWEST_FIRST, type Sorted } from './orders.js';
import type { ListQuery } from './query.js';

/** The part of a list that a request shows. */
export interface Slice {
  limit: number;
  offset: number;
  /** With a cursor: the last post before it, unless it is the first page. */
  after: Sorted | null;
}

/** Short reads run here. Long ones queue by organization, and those of many posts run aside: see Database.readLong. */
type Runs = 'here' | 'queued' | 'aside';

export type ListPlan =
  /** The counters say that there is none. */
  | { by: 'nothing'; runs: 'here' }
  /** It has a queue of its own. */
  | { by: 'search'; words: string[]; runs: 'here' }
  /** All posts of the organization: whole rows, or for a deep page their ids first. */
  | { by: 'newest rows'; runs: 'here' }
  | { by: 'newest ids'; runs: Runs }
  /** A merge of index scans, in the order of the list; its total comes from the counters, or from counting along the scans. */
  | { by: 'scans'; isCounted: boolean; runs: Runs }
  /** The index of the posts with a label. */
  | { by: 'label'; labelId: string; runs: Runs }
  /** No index has these posts in this order, so they are looked at one by one, and sorted. */
  | { by: 'filter'; runs: Runs };

export function choose(query: ListQuery, { offset, after }: Pick<Slice, 'offset' | 'after'>): ListPlan {
  if (query.total === 0) return { by: 'nothing', runs: 'here' };
  const words = query.q === null ? [] : splitWords(query.q);
  if (words.length > 0) return { by: 'search', words, runs: 'here' };

  const long: Runs = query.total > FEW_POSTS ? 'aside' : 'queued';
  const { order, bounds, labelId } = query;
  const isOfAll = !query.isFiltered && order === NEWEST_FIRST && bounds.length === 0;
  const isAlongOrder = bounds.every(({ column }) => column === order.column);
  if (!isAlongOrder || query.needsAttention || (labelId && !isOfAll)) return { by: 'filter', runs: long };
  if (labelId) return { by: 'label', labelId, runs: long };
  if (bounds.length > 0 || !query.isCounted) return { by: 'scans', isCounted: false, runs: long };

  const isDeep = offset > FAR_OFFSET;
  if (isOfAll && isDeep) return { by: 'newest ids', runs: long };
  if (isOfAll && after === null) return { by: 'newest rows', runs: 'here' };
  // No index has both the account and such an order, so all posts of the account may have to be looked at; nor has one the posts
  // that are not in the inbox, so that all those that are may have to be passed over.
  const isUnindexed =
    query.outcomeNot !== null || (query.accountId !== null && order.column !== 'created_at');
  return { by: 'scans', isCounted: true, runs: isDeep || isUnindexed ? long : 'here' };
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { choose, FEW_POSTS } from './choose.js';
import type { PostFilter } from './filter.js';
import type { ListPosts } from './schema.js';

const ALL: PostFilter = {
  orgId: 'an organization',
  statuses: null,
  postType: null,
  accountId: null,
  outcome: null,
  outcomeNot: null,
  isFiltered: false,
  counts: [],
  total: 100,
  isCounted: true,
};
const DRAFTS = { ...ALL, statuses: ['draft'], isFiltered: true } satisfies PostFilter;
const OF_ACCOUNT = { ...ALL, accountId: 'an account', isFiltered: true };
const NOT_IN_INBOX = { ...ALL, outcomeNot: 'in_inbox', isFiltered: true } satisfies PostFilter;
const FAILED = { ...ALL, outcome: 'failed', isFiltered: true, isCounted: false } satisfies PostFilter;

const TIME = '2027-01-01T00:00:00Z';
const DEEP = { offset: 1_001, after: null };
const AFTER = { offset: 0, after: { id: 'a post', sorted_by: 1 } };

type Case = [
  what: string,
  filter: PostFilter,
  input: ListPosts,
  plan: string,
  at?: typeof DEEP | typeof AFTER,
];

/** How it is read, where, and what is counted: `scans queued uncounted`. */
const CASES: Case[] = [
  ['nothing, as the counters say', { ...ALL, total: 0 }, { q: 'maps' }, 'nothing here'],
  ['words', DRAFTS, { q: 'maps', sort: 'title', label: 'a label' }, 'search here'],
  ['a query of spaces', ALL, { q: ' ' }, 'newest rows here'],
  ['all posts', ALL, {}, 'newest rows here'],
  ['all posts, a deep page', ALL, {}, 'newest ids queued', DEEP],
  ['all posts, after a cursor', ALL, {}, 'scans here', AFTER],
  ['one status', DRAFTS, {}, 'scans here'],
  ['one status, a deep page', DRAFTS, {}, 'scans queued', DEEP],
  ['one status, after a cursor', DRAFTS, {}, 'scans here', AFTER],
  ['another order', ALL, { sort: 'title' }, 'scans here'],
  ['another order, a deep page', ALL, { sort: 'title' }, 'scans queued', DEEP],
  ['one account', OF_ACCOUNT, {}, 'scans here'],
  ['one account, the oldest first', OF_ACCOUNT, { sort: 'created_at' }, 'scans here'],
  ['one account in an order that no index has', OF_ACCOUNT, { sort: 'title' }, 'scans queued'],
  ['posts that are not in the inbox', NOT_IN_INBOX, {}, 'scans queued'],
  ['an outcome without counters', FAILED, {}, 'scans queued uncounted'],
  ['a range of creation', ALL, { created_from: TIME }, 'scans queued uncounted'],
  ['a range along its order', ALL, { posted_to: TIME, sort: 'posted_at' }, 'scans queued uncounted'],
  ['a range across its order', ALL, { posted_to: TIME }, 'filter queued'],
  ['a range across its order, of an account', OF_ACCOUNT, { updated_from: TIME }, 'filter queued'],
  ['what needs attention', ALL, { needs_attention: true }, 'filter queued'],
  ['a label', ALL, { label: 'a label' }, 'label queued'],
  ['a label, after a cursor', ALL, { label: 'a label' }, 'label queued', AFTER],
  ['a label and a status', DRAFTS, { label: 'a label' }, 'filter queued'],
  ['a label in another order', ALL, { label: 'a label', sort: 'title' }, 'filter queued'],
  ['a label and a range', ALL, { label: 'a label', created_from: TIME }, 'filter queued'],
];

function planOf(...args: Parameters<typeof choose>): string {
  const plan = choose(...args);
  const counted = plan.by === 'scans' && !plan.isCounted ? ' uncounted' : '';
  return `${plan.by} ${plan.runs}${counted}`;
}

describe('a list', () => {
  for (const [what, filter, input, plan, at = { offset: 0, after: null }] of CASES)
    it(`of ${what}: ${plan}`, () => {
      assert.equal(planOf(filter, input, at), plan);
      // Of many posts, whatever queues runs aside.
      const many = filter.total === 0 ? filter : { ...filter, total: FEW_POSTS + 1 };
      assert.equal(planOf(many, input, at), plan.replace('queued', 'aside'));
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FEW_POSTS } from '../counters.js';
import { choose } from './choose.js';
import { readListRequest } from './query.js';
import type { ListPosts } from './schema.js';

const ALL: ListPosts = {};
const DRAFTS: ListPosts = { status: 'draft' };
const OF_ACCOUNT: ListPosts = { social_account_id: 'an account' };
const NOT_IN_INBOX: ListPosts = { outcome_not: 'in_inbox' };
const FAILED: ListPosts = { outcome: 'failed' };

const TIME = '2027-01-01T00:00:00Z';
const FIRST = { offset: 0, after: null };
const DEEP = { offset: 1_001, after: null };
const AFTER = { offset: 0, after: { id: 'a post', sorted_by: 1 } };

type Case = [what: string, input: ListPosts, plan: string, at?: typeof DEEP | typeof AFTER];

/** How it is read, where, and what is counted: `scans queued uncounted`. */
const CASES: Case[] = [
  ['words', { ...DRAFTS, q: 'maps', sort: 'title', label: 'a label' }, 'search here'],
  ['a query of spaces', { q: ' ' }, 'newest rows here'],
  ['all posts', ALL, 'newest rows here'],
  ['all posts, a deep page', ALL, 'newest ids queued', DEEP],
  ['all posts, after a cursor', ALL, 'scans here', AFTER],
  ['one status', DRAFTS, 'scans here'],
  ['one status, a deep page', DRAFTS, 'scans queued', DEEP],
  ['one status, after a cursor', DRAFTS, 'scans here', AFTER],
  ['another order', { sort: 'title' }, 'scans here'],
  ['another order, a deep page', { sort: 'title' }, 'scans queued', DEEP],
  ['one account', OF_ACCOUNT, 'scans here'],
  ['one account, the oldest first', { ...OF_ACCOUNT, sort: 'created_at' }, 'scans here'],
  ['one account in an order that no index has', { ...OF_ACCOUNT, sort: 'title' }, 'scans queued'],
  ['posts that are not in the inbox', NOT_IN_INBOX, 'scans queued'],
  ['an outcome without counters', FAILED, 'scans queued uncounted'],
  ['a range of creation', { created_from: TIME }, 'scans queued uncounted'],
  ['a range along its order', { posted_to: TIME, sort: 'posted_at' }, 'scans queued uncounted'],
  ['a range across its order', { posted_to: TIME }, 'filter queued'],
  ['a range across its order, of an account', { ...OF_ACCOUNT, updated_from: TIME }, 'filter queued'],
  ['what needs attention', { needs_attention: true }, 'filter queued'],
  ['a label', { label: 'a label' }, 'label queued'],
  ['a label, after a cursor', { label: 'a label' }, 'label queued', AFTER],
  ['a label and a status', { ...DRAFTS, label: 'a label' }, 'filter queued'],
  ['a label in another order', { label: 'a label', sort: 'title' }, 'filter queued'],
  ['a label and a range', { label: 'a label', created_from: TIME }, 'filter queued'],
];

function planOf(input: ListPosts, total: number, at: typeof DEEP | typeof AFTER | typeof FIRST): string {
  const plan = choose({ ...readListRequest('an organization', input), counts: [], total }, at);
  const counted = plan.by === 'scans' && !plan.isCounted ? ' uncounted' : '';
  return `${plan.by} ${plan.runs}${counted}`;
}

describe('a list', () => {
  it('of nothing, as the counters say, whatever is searched for: nothing here', () => {
    assert.equal(planOf({ q: 'maps' }, 0, FIRST), 'nothing here');
  });

  for (const [what, input, plan, at = FIRST] of CASES)
    it(`of ${what}: ${plan}`, () => {
      assert.equal(planOf(input, 100, at), plan);
      // Of many posts, whatever queues runs aside.
      assert.equal(planOf(input, FEW_POSTS + 1, at), plan.replace('queued', 'aside'));
    });
});

// Posts that were published immediately (without a slot) and failed, or whose outcome is unknown: their day is that of the
// last attempt.
import type { Dispatch, Post } from '@airdate/sdk/core';
import { api } from '../api/client.js';
import { WITH_READINESS } from '../text/readiness.js';
import { type PostAtAttempt, placeAtLastAttempt } from './attempt-day.js';

const PER_PAGE = 100;
const MAX_PAGES = 5;

interface Query {
  first: string;
  last: string;
  account: string | undefined;
  /** In the calendar, failed posts are drafts; the others are still publishing. */
  status: 'draft' | 'publishing' | 'draft,publishing';
}

export async function fetchUnscheduledFailures({
  first,
  last,
  account,
  status,
}: Query): Promise<PostAtAttempt[]> {
  const ofAccount = account ? { social_account_id: account } : {};
  const { data } = await api.request('GET', '/api/v1/posts', {
    query: { ...ofAccount, status, needs_attention: true, include: WITH_READINESS, per_page: PER_PAGE },
  });
  const posts = data.filter(neverHadSlot);
  if (posts.length === 0) return [];
  const attempts: Dispatch[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await api.request('GET', '/api/v1/dispatches', {
      query: { ...ofAccount, outcome: 'failed,unknown', from: first, per_page: PER_PAGE, page },
    });
    attempts.push(...answer.data);
    if (attempts.length >= answer.pagination.total || answer.data.length === 0) break;
  }
  return placeAtLastAttempt(posts, attempts, last);
}

const neverHadSlot = ({ status, scheduled_at, last_slot, last_publish_error }: Post): boolean =>
  last_publish_error !== null && (status === 'draft' ? last_slot : scheduled_at) === null;

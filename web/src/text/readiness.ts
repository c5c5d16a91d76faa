// Whether a post will go out. The API decides; screens show its answer in the same words everywhere.
import type { Post, PostProblem } from '@airdate/sdk/core';
import { inBrief, lowerFirst } from './api-text.js';
import { findingText } from './problem-texts.js';
import { dateAndTime } from './time.js';

/** What lists fetch so that each post can be shown with its cover and its readiness. */
export const WITH_READINESS = 'cover,readiness' as const;

/** What is in the way of a post, the most important first. Empty for posts that were listed without their readiness. */
export const problemsOf = ({ readiness }: Pick<Post, 'readiness'>): PostProblem[] =>
  (readiness?.problems ?? []).map((one) => ({ ...one, detail: findingText(one.code, one.detail) }));

/** They may end in time without anyone acting: an upload, and a block of the platform. */
const PASSING = ['uploads_pending', 'account_blocked'];

/** What a person must act on, or else a block. Not an upload. */
export const mostUrgent = (post: Pick<Post, 'readiness'>): PostProblem | undefined =>
  problemsOf(post).find(({ code }) => !PASSING.includes(code)) ??
  problemsOf(post).find(({ code }) => code === 'account_blocked');

/** A scheduled post that its account cannot send waits, whatever else is wrong with it. */
const RECONNECT = 'reconnect_required';

/** What becomes of a scheduled post unless a person acts; null if it goes out. */
export function fateOf(post: Post): 'Waits' | 'Will fail' | null {
  if (post.status !== 'scheduled') return null;
  const urgent = problemsOf(post).filter(({ code, level }) => level === 'error' && !PASSING.includes(code));
  if (urgent.length === 0) return null;
  return urgent.some(({ code }) => code === RECONNECT) ? 'Waits' : 'Will fail';
}

/** A draft with a time looks planned, and nothing goes out then: "Not scheduled for Tue 1 Dec, 18:00". */
export const withoutSlot = ({ status, scheduled_at }: Post): string | null =>
  status === 'draft' && scheduled_at !== null ? `Not scheduled for ${dateAndTime(scheduled_at)}` : null;

/** A file of the post is on its way. */
export const isUploading = (post: Pick<Post, 'readiness'>): boolean =>
  problemsOf(post).some(({ code }) => code === 'uploads_pending');

/** As the API words it: other pending files are sent by a person. */
const BEING_FETCHED = /been fetched, or remove (?:it|them)\.$/;

/** Airdate fetches the files that are not there yet, so no person has to act. */
export const isFetching = (post: Pick<Post, 'readiness'>): boolean => problemsOf(post).some(isBeingFetched);

export const isBeingFetched = ({ code, detail }: Pick<PostProblem, 'code' | 'detail'>): boolean =>
  code === 'uploads_pending' && BEING_FETCHED.test(detail);

/** By then the files of a post should be there. */
const NEAR_MS = 3_600_000;

export const isSlotNear = (at: string | null, now: number): boolean =>
  at !== null && new Date(at).getTime() - now < NEAR_MS;

/** One sentence for a card or a row: why the post failed, will fail or waits, or that it is not scheduled for its time. */
export function warningOf(post: Post): string | null {
  if (post.status === 'archived' || post.status === 'posted') return null;
  if (post.last_publish_error !== null) return inBrief(post.last_publish_error);
  const problem = mostUrgent(post);
  if (post.status !== 'scheduled') return withoutSlot(post);
  if (!problem) return null;
  const fate = fateOf(post);
  return fate ? `${fate}: ${lowerFirst(problem.detail)}` : problem.detail;
}

const FACTS: Readonly<Record<string, string>> = {
  account_missing: 'No account is chosen.',
  reconnect_required: 'The account isn’t connected.',
  no_media: 'It has no media.',
  uploads_pending: 'A file isn’t there yet.',
};

/** A last sentence that tells what to do. */
const ORDER = / (?:Add|Choose|Connect|Reconnect|Remove|Schedule|Try|Wait)\b[^.]*\.$/;

/** What is wrong, for a reader who may not mend it: without what to do. */
export const asFact = ({ code, detail }: Pick<PostProblem, 'code' | 'detail'>): string =>
  FACTS[code] ?? detail.replace(ORDER, '');

/** By its cover, so only for posts that were listed with it. */
export const hasMedia = ({ post_type, cover_url, cover_video_url }: Post): boolean =>
  (post_type === 'video' ? cover_video_url : cover_url) !== null;

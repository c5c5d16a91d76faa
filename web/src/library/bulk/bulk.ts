// The pure part of an action on many posts: which requests it takes, what became of each post, and what is said of it.

import type { Post, Problem, paths } from '@airdate/sdk/core';
import { quote } from '../../post/archiving.js';
import { groupBy } from '../../text/group-by.js';
import { forPeople } from '../../text/problem-texts.js';

export type BulkBody = NonNullable<
  paths['/api/v1/posts/bulk']['post']['requestBody']
>['content']['application/json'];

export type BulkEntry =
  paths['/api/v1/posts/bulk']['post']['responses'][200]['content']['application/json']['data'][number];

/** One request: the posts, each as it was just before, in the order of its ids. */
export interface Step {
  posts: Post[];
  body: Omit<BulkBody, 'ids'>;
}

export interface Refusal {
  post: Post;
  reason: string;
}

export interface BulkResult {
  /** Each as it was just before. */
  done: Post[];
  refused: Refusal[];
  /** Those as the answers show them now. */
  now?: Post[];
}

/** The most that the API accepts in one request. */
const MAX_PER_REQUEST = 100;

/** What the member is told of an error, and whether the API has refused only this request: the next one may succeed. */
export interface Errors {
  messageOf: (error: unknown) => string;
  isRefusal: (error: unknown) => boolean;
}

/** Request after request. One that is refused as a whole refuses its posts; after any other failure nothing more is sent. */
export async function sendSteps(
  steps: Step[],
  send: (body: BulkBody) => Promise<BulkEntry[]>,
  { messageOf, isRefusal }: Errors,
): Promise<BulkResult> {
  const now: Post[] = [];
  const result: BulkResult = { done: [], refused: [], now };
  const waiting = steps.flatMap(split);
  for (const [n, { posts, body }] of waiting.entries()) {
    try {
      const entries = await send({ ...body, ids: posts.map(({ id }) => id) });
      for (const [at, post] of posts.entries()) {
        const entry = entries[at];
        const problem = entry?.problem;
        if (entry?.post) now.push(entry.post);
        if (problem) result.refused.push({ post, reason: reasonOf(problem, body.action) });
        else result.done.push(post);
      }
    } catch (error) {
      const reason = messageOf(error);
      const isOver = !isRefusal(error);
      for (const step of waiting.slice(n, isOver ? undefined : n + 1))
        result.refused.push(...step.posts.map((post) => ({ post, reason })));
      if (isOver) break;
    }
  }
  return result;
}

function split({ posts, body }: Step): Step[] {
  const parts: Step[] = [];
  for (let from = 0; from < posts.length; from += MAX_PER_REQUEST) {
    const slots = body.scheduled_at?.slice(from, from + MAX_PER_REQUEST);
    parts.push({
      posts: posts.slice(from, from + MAX_PER_REQUEST),
      body: slots ? { ...body, scheduled_at: slots } : body,
    });
  }
  return parts;
}

const ONLY: Record<BulkBody['action'], string> = {
  schedule: 'Only drafts and scheduled posts can be scheduled.',
  shift: 'Only scheduled posts can be moved.',
  unschedule: 'Only scheduled posts can be unscheduled.',
  delete: 'Only drafts and archived posts can be deleted. Archive it first.',
};

export const NOT_SCHEDULED = ONLY.unschedule;

function reasonOf(problem: Problem, action: BulkBody['action']): string {
  const { code, errors, detail } = forPeople(problem);
  if (code === 'not_found') return 'It was deleted.';
  const slot = errors?.find(({ pointer }) => pointer === '/scheduled_at');
  if (slot) return `The time ${slot.message}.`;
  return code === 'wrong_state' ? ONLY[action] : detail;
}

export type Options = Omit<BulkBody, 'action' | 'ids' | 'scheduled_at' | 'days' | 'time_zone' | 'options'>;

/** Posts that get the same options go together. */
export function scheduleSteps(
  posts: Post[],
  slotOf: (post: Post) => string,
  optionsOf: (post: Post) => Options,
): Step[] {
  const groups = groupBy(posts, (post) => JSON.stringify(optionsOf(post)));
  return [...groups.values()].map((group) => ({
    posts: group,
    body: {
      action: 'schedule',
      scheduled_at: group.map(slotOf),
      ...(group[0] ? optionsOf(group[0]) : {}),
    },
  }));
}

/** What a slot fixes beside its time. */
const choicesOf = (post: Post) => ({
  social_account_id: post.social_account_id,
  privacy_level: post.privacy_level,
  publish_mode: post.publish_mode,
  disable_comment: post.disable_comment,
  disable_duet: post.disable_duet,
  disable_stitch: post.disable_stitch,
  brand_content_toggle: post.brand_content_toggle,
  brand_organic_toggle: post.brand_organic_toggle,
});

/**
 * Makes drafts of what were drafts (their choices are restored one by one), and gives the others the slots and choices that
 * they had. A draft may have a time too: it was stored for later, and scheduled nothing.
 */
export function undoOfSchedule(before: Post[]): Step[] {
  const drafts = before.filter(isDraft);
  const steps = scheduleSteps(
    before.filter((post) => !isDraft(post)),
    slotBefore,
    (post) => {
      const { social_account_id, privacy_level, ...others } = choicesOf(post);
      return {
        ...(social_account_id ? { social_account_id } : {}),
        ...(privacy_level ? { privacy_level } : {}),
        ...others,
      };
    },
  );
  // First what would go out against the member's will.
  return drafts.length > 0 ? [{ posts: drafts, body: { action: 'unschedule' } }, ...steps] : steps;
}

export const isDraft = ({ status }: Post): boolean => status !== 'scheduled';

/** What a draft had before it was scheduled. The API accepts no time before `earliest`; such a draft loses its time. */
export function draftBefore(post: Post, earliest: number) {
  const { scheduled_at } = post;
  const isAhead = scheduled_at !== null && Date.parse(scheduled_at) >= earliest;
  return { ...choicesOf(post), ...(isAhead ? { scheduled_at } : {}) };
}

/**
 * Undoes unscheduling and moving. Account and choices stay on a draft, so the slots are enough; and over a change of the clocks,
 * the same days back would lead to another hour.
 */
export const backToSlots = (before: Post[]): Step[] => scheduleSteps(before, slotBefore, () => ({}));

/** A post that was scheduled and has been unscheduled since stays a draft, although the API would schedule it again. */
export function stillScheduled(before: Post[], now: Post[]): { posts: Post[]; refused: Refusal[] } {
  const isThere = (post: Post, n: number) => isDraft(post) || now[n]?.status === 'scheduled';
  const others = before.filter((post, n) => !isThere(post, n));
  return {
    posts: before.filter(isThere),
    refused: others.map((post) => ({ post, reason: 'It’s no longer scheduled.' })),
  };
}

const slotBefore = ({ scheduled_at }: Post): string => scheduled_at ?? '';

const NAMED = 5;

/** One line for each reason, with the posts it concerns. */
export function refusalLines(refused: Refusal[]): string[] {
  const byReason = groupBy(refused, ({ reason }) => reason);
  return [...byReason].map(([reason, group]) => {
    return `${namesOf(group.map(({ post }) => post))}: ${reason}`;
  });
}

/** "“First”, “Second” and 3 more". */
export function namesOf(posts: Post[]): string {
  const names = posts.slice(0, NAMED).map(quote);
  const more = posts.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

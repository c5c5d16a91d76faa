// Which of the selected posts an action can change, and what is said of the others. Pure.

import type { Post } from '@airdate/sdk/core';
import { quote } from '../../post/archiving.js';
import { isUnknown } from '../../post/nextStep.js';
import { lowerFirst } from '../../text/api-text.js';
import { groupBy } from '../../text/group-by.js';
import { number } from '../../text/numbers.js';
import { statusOf } from '../../text/status.js';
import { namesOf } from './bulk.js';

interface Reason {
  /** "it’s archived", of one post. */
  ofOne: string;
  /** "2 archived", of several. */
  among: string;
}

/** Why a post in this status has no slot to choose. */
const NO_SLOT: Partial<Record<Post['status'], Reason>> = {
  posted: { ofOne: 'it’s already posted', among: 'already posted' },
  publishing: { ofOne: 'it’s being published', among: 'being published' },
  archived: { ofOne: 'it’s archived', among: 'archived' },
};

const IN_INBOX: Reason = { ofOne: 'it’s already in the inbox', among: 'already in the inbox' };
const OUTCOME: Reason = { ofOne: 'its outcome is unknown', among: 'with an unknown outcome' };

function noSlot(post: Post): Reason | undefined {
  if (isUnknown(post)) return OUTCOME;
  return post.status === 'posted' && post.in_inbox ? IN_INBOX : NO_SLOT[post.status];
}

export const isSchedulable = ({ status }: Post): boolean => NO_SLOT[status] === undefined;

/** Those that can have a slot, and what is said of the others: "2 are left out: 1 already posted, 1 archived." */
export function schedulable(posts: Post[]): { posts: Post[]; leftOut: string | null } {
  const others = posts.filter((post) => !isSchedulable(post));
  const [only] = others;
  if (!only) return { posts, leftOut: null };
  const groups = [...groupBy(others, (post) => noSlot(post)?.among ?? '')];
  const leftOut =
    others.length === 1
      ? `${quote(only)} is left out: ${noSlot(only)?.ofOne}.`
      : `${number(others.length)} posts are left out: ${groups.map(([why, { length }]) => `${number(length)} ${why}`).join(', ')}.`;
  return { posts: posts.filter(isSchedulable), leftOut };
}

/** Of posts that get a slot and have nothing to show; null if there are none. */
export function missingMediaText(count: number): string | null {
  if (count === 0) return null;
  return count === 1
    ? '1 post has no media yet. Add it before its time, or that post will fail.'
    : `${number(count)} posts have no media yet. Add it before their times, or those posts will fail.`;
}

export const isDeletable = ({ status }: Post): boolean => status === 'draft' || status === 'archived';

interface Excluded {
  posts: Post[];
  /** One line for each reason: "Scheduled: “First”, “Second”. Archive them first." */
  lines: string[];
}

/** Those that can be deleted, and those that stay. */
export function deletable(posts: Post[]): { posts: Post[]; excluded: Excluded } {
  const others = posts.filter((post) => !isDeletable(post));
  const groups = groupBy(others, whyExcluded);
  return {
    posts: posts.filter(isDeletable),
    excluded: {
      posts: others,
      lines: [...groups].map(([why, group]) => `${why}: ${namesOf(group)}. ${stepFor(why, group.length)}`),
    },
  };
}

const UNKNOWN = 'Outcome unknown';
const ON_ITS_WAY = 'Being published';

function whyExcluded(post: Post): string {
  if (post.status === 'posted') return statusOf(post).label;
  if (post.status === 'scheduled') return 'Scheduled';
  return isUnknown(post) ? UNKNOWN : ON_ITS_WAY;
}

/** What must come before a post can be deleted. */
function stepFor(why: string, count: number): string {
  const it = count === 1 ? 'it' : 'them';
  if (why === ON_ITS_WAY) return `Wait until ${count === 1 ? 'it has' : 'they have'} gone out.`;
  return `${why === UNKNOWN ? 'Resolve' : 'Archive'} ${it} first.`;
}

/** Of a selection without a post that can be deleted. */
export function beforeDeleting(posts: Post[]): string {
  const reasons = new Set(posts.map(whyExcluded));
  const [why = ''] = reasons;
  const it = posts.length === 1 ? 'it' : 'them';
  return reasons.size === 1
    ? `To delete ${it}: ${lowerFirst(stepFor(why, posts.length))}`
    : 'None of them can be deleted yet.';
}

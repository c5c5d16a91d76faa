// From posts that need attention to one row per cause, the most urgent first.

import { toTimestamp } from '../../core/clock.js';
import { DAY_MS } from '../../core/durations.js';
import { reasonWithoutCode } from '../../core/reasons.js';
import type { PostRow, SocialAccountRow } from '../../db/tables.js';
import { type Attention, MAX_COUNTED, MAX_IDS } from './schema.js';
import type { WillFail } from './will-fail.js';

export type Account = Pick<SocialAccountRow, 'id' | 'username'>;

export const FAILED_COLUMNS = [
  'id',
  'scheduled_at',
  'social_account_id',
  'last_publish_error',
  'last_publish_error_code',
  'wait_reason',
  'updated_at',
] as const satisfies (keyof PostRow)[];

export type FailedPost = Pick<PostRow, (typeof FAILED_COLUMNS)[number]>;

/** Posts of one cause, the most urgent first. */
export interface Group {
  cause: Attention['cause'];
  code?: string | null;
  account?: Account | undefined;
  blockedUntil?: number;
  count: number;
  posts: Pick<PostRow, 'id' | 'scheduled_at'>[];
  message: string;
}

export function presentGroup(group: Group, title?: string): Attention {
  const { cause, code, account, blockedUntil, count, posts, message } = group;
  const slots = posts.flatMap(({ scheduled_at }) => (scheduled_at === null ? [] : [scheduled_at]));
  return {
    cause,
    ...(code === undefined ? {} : { code }),
    ...(account === undefined ? {} : { account: { id: account.id, username: account.username } }),
    ...(blockedUntil === undefined ? {} : { blocked_until: toTimestamp(blockedUntil) }),
    count: Math.min(count, MAX_COUNTED),
    ...(title === undefined ? {} : { post_title: title }),
    post_ids: posts.slice(0, MAX_IDS).map(({ id }) => id),
    next_at: slots.length === 0 ? null : toTimestamp(Math.min(...slots)),
    message,
  };
}

/** What can still be saved today, then what has gone wrong already, then what is due later. */
export function byUrgency(groups: readonly Group[], now: number): Group[] {
  const rank = (group: Group): [number, number] => {
    if (group.cause === 'outcome_unknown') return [1, 0];
    if (group.cause === 'publish_failed') return [1, 1];
    if (group.cause === 'time_without_slot') return [1, 2];
    const next = Math.min(...group.posts.map(({ scheduled_at }) => scheduled_at ?? Number.MAX_SAFE_INTEGER));
    return [next <= now + DAY_MS ? 0 : 2, next];
  };
  return groups
    .map((group) => ({ group, rank: rank(group) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || b.group.count - a.group.count)
    .map(({ group }) => group);
}

/** One group per code; errors without one are grouped by their text. */
export function groupFailures(
  posts: readonly FailedPost[],
  accountOf: (id: string | null) => Account | undefined,
): Group[] {
  const keyOf = ({ last_publish_error: reason, last_publish_error_code: code }: FailedPost) =>
    code ?? reason ?? '';
  return groupBy([...posts].sort(byNeed), keyOf).map((alike) => {
    const [first] = alike;
    const isOneAccount = alike.every(
      ({ social_account_id }) => social_account_id === first.social_account_id,
    );
    return {
      cause: 'publish_failed',
      code: first.last_publish_error_code,
      account: isOneAccount ? accountOf(first.social_account_id) : undefined,
      count: alike.length,
      posts: alike,
      message: failureMessage(alike),
    };
  });
}

/** One group per code. */
export function groupByProblem(failing: readonly WillFail[]): Group[] {
  const causes = failing.flatMap(({ post, problems }) =>
    problems.map(({ code, detail }) => ({ id: post.id, scheduled_at: post.scheduled_at, code, detail })),
  );
  return groupBy(causes, ({ code }) => code).map((alike) => {
    const [{ code, detail }] = alike;
    const who = alike.length === 1 ? '1 scheduled post' : `${alike.length} scheduled posts`;
    return {
      cause: 'will_fail',
      code,
      count: alike.length,
      posts: alike,
      message: `${who} will fail: ${detail}`,
    };
  });
}

/** Groups appear in the order of their first items. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const known = groups.get(keyOf(item));
    if (known) known.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

/** Posts that are tried again come first, by their slot; then the latest failure. */
const byNeed = (a: FailedPost, b: FailedPost) =>
  (a.scheduled_at ?? Number.MAX_SAFE_INTEGER) - (b.scheduled_at ?? Number.MAX_SAFE_INTEGER) ||
  b.updated_at - a.updated_at ||
  (a.id < b.id ? 1 : -1);

function failureMessage(alike: readonly FailedPost[]): string {
  const [first] = alike as [FailedPost];
  const code = first.last_publish_error_code;
  const reason = sentence(reasonWithoutCode(first.last_publish_error ?? '', code));
  if (alike.length === 1) return reason;
  // Each says when its own slot was.
  if (code === 'slot_missed') return `${alike.length} posts missed their slots. Schedule them again.`;
  return `${alike.length} posts failed: ${reason}`;
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** A sentence about `n` posts, with the right form of the verb. */
export const counted = (n: number, one: string, several: string): string =>
  n === 1 ? `1 ${one}` : `${n >= MAX_COUNTED ? `${MAX_COUNTED.toLocaleString('en')} or more` : n} ${several}`;

export const groupIfAny = (
  cause: Group['cause'],
  posts: Group['posts'],
  message: (n: number) => string,
): Group[] =>
  posts.length === 0 ? [] : [{ cause, count: posts.length, posts, message: message(posts.length) }];

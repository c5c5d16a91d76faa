// What needs attention in a few words, and the one place where it is mended.
import type { SocialAccount } from '@airdate/sdk/core';
import type { Attention } from '../api/queries.js';
import { lowerFirst } from '../text/api-text.js';
import { isSlotNear } from '../text/readiness.js';
import { formatReason } from '../text/reason-names.js';

type Place =
  | { to: '/accounts' }
  | { to: '/posts/$postId' | '/posts/$postId/edit'; params: { postId: string } }
  | { to: '/library'; search: { attention: true } };

export interface Cause {
  key: string;
  /** The account, or what it is. */
  title: string;
  /** What to do. */
  todo: string;
  /** When the first of the posts is due, if that is what makes it urgent. */
  due: string | null;
  /** Until when the posts wait, if that is known. */
  until: string | null;
  /** The API's sentence, on hover. */
  hint: string;
  place: Place;
  /** It ends by itself, and in time. */
  isCalm: boolean;
}

/** The rows of the API in its order, then accounts that no post waits for. */
export const causesOf = (
  rows: Attention[],
  accounts: Pick<SocialAccount, 'id' | 'username' | 'status'>[],
  /** Posts that wait only for files that Airdate fetches. */
  fetching: ReadonlySet<string> = new Set(),
  now = Date.now(),
  mayWrite = true,
) => [
  ...rows.map((row) => {
    const cause = isFetched(row, fetching) ? fetchedCause(row, now) : causeOf(row);
    return mayWrite ? cause : asFactOf(cause, row);
  }),
  ...accounts
    .filter(({ id, status }) => status === 'reconnect_required' && !rows.some(isAbout(id)))
    .map((account) => (mayWrite ? idleAccount(account) : asFactOf(idleAccount(account), undefined))),
];

const isAbout = (accountId: string) => (row: Attention) =>
  row.cause === 'account_reconnect' && row.account?.id === accountId;

/** The account is connected, and its consent does not allow what the posts need. */
const RECONNECT = 'reconnect_required';

/** A file that was to be fetched. */
const REJECTED = 'media_rejected';

const OF_ACCOUNTS: Attention['cause'][] = ['account_reconnect', 'account_missing', 'account_blocked'];

/** Not failed yet, so it is the slot that makes them urgent. */
const DUE: Attention['cause'][] = ['no_media', 'upload_unfinished', 'will_fail'];

/** The API names the most urgent posts of a row; the others wait longer. */
const isFetched = ({ cause, post_ids }: Attention, fetching: ReadonlySet<string>): boolean =>
  cause === 'upload_unfinished' && post_ids.length > 0 && post_ids.every((id) => fetching.has(id));

function fetchedCause(row: Attention, now: number): Cause {
  const { count, post_title: title, next_at } = row;
  const isCalm = !isSlotNear(next_at, now);
  const fetching = isCalm ? 'Fetching' : 'Still fetching';
  const isNamed = count === 1 && title !== undefined;
  return {
    ...causeOf(row),
    title: isNamed ? title : `${fetching} files`,
    todo: isNamed ? `${fetching} its files` : waitingText(count),
    hint: 'Airdate fetches the files from the web. Posts wait for their files.',
    isCalm,
  };
}

function causeOf(row: Attention): Cause {
  const { cause, code, account, post_ids, next_at, message } = row;
  return {
    key: [cause, account?.id, code, post_ids[0]].join(),
    ...(textsOfPost(row) ?? textsOfCause(row)),
    due: DUE.includes(cause) ? next_at : null,
    until: row.blocked_until ?? null,
    hint: message,
    place: placeOf(row),
    isCalm: false,
  };
}

const idleAccount = ({ id, username }: Pick<SocialAccount, 'id' | 'username'>): Cause => ({
  key: id,
  title: username,
  todo: 'Reconnect',
  due: null,
  until: null,
  hint: `${username}: reconnect.`,
  place: { to: '/accounts' },
  isCalm: false,
});

/** About a single post: its title, and what is the matter with it. */
function textsOfPost({
  cause,
  code,
  count,
  post_title: title,
}: Attention): Pick<Cause, 'title' | 'todo'> | null {
  if (count !== 1 || title === undefined) return null;
  switch (cause) {
    case 'no_media':
      return { title, todo: 'Add media' };
    case 'upload_unfinished':
      return { title, todo: 'Upload not finished' };
    case 'will_fail':
      if (code === RECONNECT) return null;
      if (code === REJECTED) return { title, todo: 'Remove or replace the rejected file' };
      return { title, todo: code ? `Will fail: ${lowerFirst(formatReason(code))}` : 'Will fail' };
    case 'time_without_slot':
      return { title, todo: 'Never scheduled: schedule it, or remove its time' };
    case 'outcome_unknown':
      return { title, todo: 'Outcome unknown: check and resolve' };
    case 'publish_failed':
      return { title, todo: `${code ? formatReason(code) : 'Publishing failed'}: fix and retry` };
    default:
      return null;
  }
}

function textsOfCause({ cause, code, account, count }: Attention): Pick<Cause, 'title' | 'todo'> {
  const isOne = count === 1;
  const waiting = waitingText(count);
  switch (cause) {
    case 'account_reconnect':
      return { title: account?.username ?? 'Account', todo: `Reconnect: ${waiting}` };
    case 'account_missing':
      return { title: account?.username ?? 'Account', todo: `Connect again: ${waiting}` };
    case 'account_blocked':
      return { title: account?.username ?? 'App limit for the day reached', todo: `Blocked: ${waiting}` };
    case 'no_media':
      return {
        title: isOne ? '1 post has no media' : `${number(count)} posts have no media`,
        todo: 'Add media',
      };
    case 'upload_unfinished':
      return { title: 'Upload not finished', todo: waiting };
    case 'will_fail':
      if (code === REJECTED)
        return {
          title: isOne ? '1 post has a rejected file' : `${number(count)} posts have rejected files`,
          todo: isOne ? 'Remove or replace it' : 'Remove or replace them',
        };
      if (code === RECONNECT) return { title: formatReason(code), todo: `Reconnect: ${waiting}` };
      return {
        title: code ? formatReason(code) : 'Will fail',
        todo: isOne ? 'Fix 1 post that will fail' : `Fix ${number(count)} posts that will fail`,
      };
    case 'time_without_slot':
      return {
        title: isOne ? '1 draft was never scheduled' : `${number(count)} drafts were never scheduled`,
        todo: isOne ? 'Schedule it, or remove its time' : 'Schedule them, or remove their times',
      };
    case 'outcome_unknown':
      return {
        title: 'Outcome unknown',
        todo: isOne ? 'Check and resolve' : `Check and resolve ${number(count)} posts`,
      };
    case 'publish_failed':
      return {
        title: code ? formatReason(code) : 'Publishing failed',
        todo: isOne ? 'Fix and retry' : `Fix and retry ${number(count)} posts`,
      };
  }
}

function placeOf({ cause, code, count, post_ids }: Attention): Place {
  const isOfAccount = cause === 'will_fail' && code === RECONNECT;
  if (isOfAccount || OF_ACCOUNTS.includes(cause)) return { to: '/accounts' };
  const [postId] = post_ids;
  if (count > 1 || postId === undefined) return { to: '/library', search: { attention: true } };
  const isAboutFiles = cause === 'no_media' || cause === 'upload_unfinished' || code === REJECTED;
  return { to: isAboutFiles ? '/posts/$postId/edit' : '/posts/$postId', params: { postId } };
}

/** For a reader who may not mend it: what is wrong, and the post itself instead of its editor. */
function asFactOf(cause: Cause, row: Attention | undefined): Cause {
  const todo = row ? factOf(row) : 'Not connected';
  const { place } = cause;
  return {
    ...cause,
    todo: todo ?? cause.todo,
    hint: todo ?? cause.todo,
    place: place.to === '/posts/$postId/edit' ? { ...place, to: '/posts/$postId' } : place,
  };
}

/** Null where the usual words already say nothing else. */
function factOf({ cause, code, count, post_title }: Attention): string | null {
  const isNamed = count === 1 && post_title !== undefined;
  const posts = count === 1 ? '1 post' : `${number(count)} posts`;
  switch (cause) {
    case 'account_reconnect':
    case 'account_missing':
      return `Not connected: ${waitingText(count)}`;
    case 'no_media':
      return isNamed ? 'No media yet' : 'Will fail without it';
    case 'will_fail':
      if (code === RECONNECT) return `Not connected: ${waitingText(count)}`;
      if (code === REJECTED && isNamed) return 'A file was rejected';
      return isNamed ? null : `${posts} will fail`;
    case 'time_without_slot':
      return isNamed ? 'Never scheduled' : 'Not scheduled in time';
    case 'outcome_unknown':
      return isNamed ? 'Outcome unknown' : posts;
    case 'publish_failed':
      return isNamed ? (code ? formatReason(code) : 'Publishing failed') : posts;
    default:
      return null;
  }
}

const waitingText = (count: number): string =>
  count === 1 ? '1 post waiting' : `${number(count)} posts waiting`;

/** The API counts to 1,000. */
const number = (n: number): string => (n >= 1_000 ? '1,000+' : String(n));

// What is in the way of a post, as its page shows it: readiness and the last failure, one message for each cause. Pure.
import type { Post, PostProblem } from '@airdate/sdk/core';
import { type Failure, failureOf } from '../publish/failure.js';
import { mergedByCode } from '../publish/problems.js';
import { hasMedia, problemsOf, withoutSlot } from '../text/readiness.js';
import type { Tone } from '../text/status.js';
import { nextStep, type Step } from './nextStep.js';

export interface Blockers {
  tone: Extract<Tone, 'draft' | 'posted' | 'publishing' | 'attention'>;
  title?: string;
  problems: Pick<PostProblem, 'code' | 'detail'>[];
}

const RECONNECT = 'reconnect_required';
const BLOCKED = 'account_blocked';
const WAITS = 'This post will wait';

export const BEFORE_PUBLISHING = 'Before you publish';
export const TIME_WITHOUT_SLOT = 'time_without_slot';

/** Null for a post that no longer has to go out, and until its readiness is known. */
export function findBlockers(
  post: Post,
  problems: PostProblem[] | null,
  failure: Failure | null,
): Blockers | null {
  if (problems === null) return null;
  const isDraft = post.status === 'draft';
  const failed = failure ? [{ code: failure.code, detail: failure.message }] : [];
  if (failure?.isOpen)
    // What the post lacks besides is no cause of it, and the sheet asks for it. The account's own words are the shorter ones.
    return {
      tone: 'attention',
      problems: mergedByCode(
        problems.filter(({ code }) => code === RECONNECT || code === BLOCKED),
        failed,
      ),
    };
  if (failure && problems.length === 0)
    return {
      tone: 'publishing',
      title: 'Something has changed since, so you can try again.',
      problems: failed,
    };
  if (problems.length === 0)
    return { tone: 'posted', title: isDraft ? 'Ready to publish' : 'Ready to go out', problems };
  const unscheduled = withoutSlot(post);
  if (unscheduled !== null && problems.every(({ code }) => code === TIME_WITHOUT_SLOT))
    return { tone: 'publishing', title: unscheduled, problems };
  if (problems.every(({ code }) => code === 'uploads_pending')) return { tone: 'publishing', problems };
  if (!isDraft && problems.every(({ code }) => code === BLOCKED || code === 'uploads_pending'))
    return { tone: 'publishing', title: WAITS, problems };
  if (isDraft) return { tone: 'draft', title: BEFORE_PUBLISHING, problems };
  const title = problems.some(({ code }) => code === RECONNECT) ? WAITS : 'This post will fail';
  return { tone: 'attention', title, problems };
}

/** The publish sheet asks for it. */
const ASKED_LATER = 'account_missing';

/** Not fixed in the composer, or by a step of their own. */
const NOT_BY_EDITING = [
  ...[RECONNECT, BLOCKED, ASKED_LATER, 'no_media', 'uploads_pending'],
  TIME_WITHOUT_SLOT,
];

/** Failures that say nothing about the post: it is sent again as it is. */
const NOTHING_TO_FIX = [
  ...['slot_missed', 'too_late', 'interrupted', 'attempt_lost', 'resolved_not_posted', 'restored'],
  ...['not_reached', 'no_answer', 'bad_answer', 'internal', 'internal_error', 'rate_limit_exceeded'],
  ...['photo_pull_failed', 'video_pull_failed', 'publish_cancelled', 'upload_expired'],
  ...['spam_risk_too_many_posts', 'reached_active_user_cap', 'store_unavailable', 'unavailable', 'safe_mode'],
  'key_unknown',
];

/** The next step for a post whose problems are known: the first one decides. */
export function nextStepOf(post: Post, hasMedia: boolean, standing: Blockers | null): Step {
  const step = nextStep(post, hasMedia);
  if (standing === null) return step;
  const { tone } = standing;
  // Nothing is left to fix.
  if (tone === 'publishing') return step === 'fix' ? 'publish' : step;
  const codes = standing.problems.map(({ code }) => code);
  const code = codes.find((each) => each !== ASKED_LATER) ?? codes[0];
  if (code === undefined) return step;
  if (code === RECONNECT) return 'reconnect';
  if (NOTHING_TO_FIX.includes(code)) return step === 'fix' ? 'publish' : step;
  return NOT_BY_EDITING.includes(code) ? step : 'fix';
}

/**
 * The next step on a card, which knows the post as a list shows it: without attempts and files, a failure counts until the next
 * attempt.
 */
export function nextStepInList(post: Post): Step {
  const { readiness } = post;
  const known = readiness ? problemsOf(post) : null;
  const failure = failureOf(post, {
    latest: undefined,
    assets: undefined,
    account: undefined,
    platform: { name: '', atStart: '' },
  });
  // Readiness names the account only while it cannot be used.
  const isOpen = failure?.code !== RECONNECT || known?.some(({ code }) => code === RECONNECT) === true;
  return nextStepOf(post, hasMedia(post), findBlockers(post, known, failure && { ...failure, isOpen }));
}

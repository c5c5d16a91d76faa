// What the sheet makes of its post, its form and the responses so far: how far the post has got, what is wrong, and why the button
// cannot be pressed. Pure.
import type { Asset, CreatorOptions, Post, PostProblem, Preflight, SocialAccount } from '@airdate/sdk/core';
import type { Failure } from './failure.js';
import type { SheetField } from './fields.js';
import { type Obstacle, obstacle, type PublishForm, tooSoon } from './form.js';
import { problemsOf } from './problems.js';
import { isOutcomeUnknown, mustReconnect } from './send-errors.js';

/** How far the post has got, as far as the sheet knows. */
export type Phase =
  /** Nothing was sent yet, or it was refused. */
  | 'choosing'
  | 'sending'
  | 'sent'
  /** Sent from elsewhere, or from here by a request whose response never came. */
  | 'sent-already'
  /** Whether the platform has it is not known: it must not be sent again. */
  | 'unknown';

/** The platform has the post, or may have it. */
export const mustNotResend = (phase: Phase): boolean => phase === 'sent-already' || phase === 'unknown';

/** A request of the sheet, as React Query describes it. */
interface Request {
  status: 'idle' | 'pending' | 'success' | 'error';
  error: unknown;
}

export interface SheetFacts {
  post: Post;
  form: PublishForm;
  /** The chosen account. One that was disconnected is no longer in the list. */
  account: Pick<SocialAccount, 'status'> | undefined;
  creator: { data?: CreatorOptions | undefined; isError: boolean; error: unknown };
  publish: Request;
  schedule: Request;
  preflight: Preflight | undefined;
  assets: Asset[] | undefined;
  /** What became of the last attempt. */
  failure: Failure | null;
  isSafeMode: boolean;
  /** The time that the form means; null if there is none. */
  moment: number | null;
  now: number;
  leadMs: number;
}

export interface SheetState {
  phase: Phase;
  /** The chosen account must be reconnected, or was disconnected. */
  isAccountUnusable: boolean;
  /** What the account allows; undefined until the platform has said so, and for the inbox. */
  creatorOptions: CreatorOptions | undefined;
  problems: PostProblem[];
  /** Why the button cannot be pressed. */
  obstacle: Obstacle | null;
}

export function sheetState(facts: SheetFacts): SheetState {
  const { form, account, creator } = facts;
  const sending = facts[requestFor(form)];
  const phase = phaseOf(facts, sending);
  const isAccountUnusable =
    form.accountId !== null &&
    (account?.status !== 'connected' || mustReconnect(creator.error) || mustReconnect(sending.error));
  const creatorOptions = creator.isError || form.mode !== 'direct' ? undefined : creator.data;
  // What has just been refused is said at the button.
  const failure = sending.error ? null : facts.failure;
  // From the press of the button on, preflight would find this very attempt.
  const problems =
    phase === 'choosing'
      ? problemsOf(facts.preflight, facts.post, form, creatorOptions, facts.assets, failure)
      : [];
  return {
    phase,
    isAccountUnusable,
    creatorOptions,
    problems,
    obstacle: obstacleOf(facts, { isAccountUnusable, creatorOptions, problems }),
  };
}

/** The request that the button sends. */
export const requestFor = ({ when }: Pick<PublishForm, 'when'>): 'publish' | 'schedule' =>
  when === 'schedule' ? 'schedule' : 'publish';

function phaseOf({ post, publish, schedule }: SheetFacts, sending: Request): Phase {
  if (publish.status === 'pending' || schedule.status === 'pending') return 'sending';
  // First: such a post is under way as well.
  if (isOutcomeUnknown(publish.error)) return 'unknown';
  if (sending.status === 'success') return 'sent';
  return post.status === 'draft' || post.status === 'scheduled' ? 'choosing' : 'sent-already';
}

const seeAbove = (field: SheetField): Obstacle => ({ reason: 'Fix the problem above first.', field });

/** The first thing that the member has to do. */
function obstacleOf(
  { form, creator, isSafeMode, moment, now, leadMs }: SheetFacts,
  { isAccountUnusable, creatorOptions, problems }: Omit<SheetState, 'phase' | 'obstacle'>,
): Obstacle | null {
  if (isAccountUnusable) return seeAbove('account');
  if (form.mode === 'direct' && creator.isError)
    return isSafeMode
      ? { reason: 'Safe mode is on: you can’t publish or schedule right now.' }
      : seeAbove('account');
  const first = obstacle(form, creatorOptions);
  if (first) return first;
  if (form.when === 'now')
    return problems.some(({ level }) => level === 'error') ? seeAbove('problems') : null;
  if (moment === null) return { reason: 'Choose a date and time.', field: 'time' };
  return tooSoon(moment, now, leadMs) ? { reason: 'Choose a later time.', field: 'time' } : null;
}

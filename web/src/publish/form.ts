// What a member decides about a post before it is published, and the request that follows. Pure.
import type { CreatorOptions, Dispatch, Post, paths, SocialAccount } from '@airdate/sdk/core';
import { modeFor, onlyUsable } from '../accounts/defaults.js';
import { ONLY_ME } from '../text/audiences.js';
import { duration } from '../text/time.js';
import { accountIdOf, wasChosen } from './choices.js';
import type { SheetField } from './fields.js';
import { meaningOf, wallOf } from './wall-time.js';

export type PrivacyLevel = NonNullable<Post['privacy_level']>;
export type When = 'now' | 'schedule';

export interface PublishForm {
  when: When;
  /** The viewer's local time, in the format of datetime-local. */
  wall: string;
  /** Whether the second of two equal local times is meant. */
  isSecondOccurrence: boolean;
  accountId: string | null;
  mode: Post['publish_mode'];
  /** Only the member chooses this: there is no default. */
  privacy: string | null;
  allowComment: boolean;
  allowDuet: boolean;
  allowStitch: boolean;
  isCommercial: boolean;
  isOwnBrand: boolean;
  isBranded: boolean;
}

export const UNDISCLOSED = 'You need to indicate if your content promotes yourself, a third party, or both.';
export const BRANDED_NOT_PRIVATE = 'Branded content visibility cannot be set to private.';

/** Everything off and nothing chosen; a post that was scheduled or sent before keeps its earlier choices. */
export function firstForm(
  post: Post,
  accounts: SocialAccount[],
  zone: string,
  now: number,
  leadMs: number,
  latest?: Dispatch,
): Omit<PublishForm, 'when'> {
  // Even if it can no longer be used: another one is never taken in its place unseen.
  const accountId = accountIdOf(post, latest) ?? onlyUsable(accounts)?.id ?? null;
  const account = accounts.find(({ id }) => id === accountId);
  const isScheduled = post.status === 'scheduled';
  const isChosen = wasChosen(post, latest);
  const at = isAhead(post.scheduled_at, now) ? post.scheduled_at : nextHour(now, leadMs);
  return {
    wall: wallOf(at, zone),
    isSecondOccurrence: isSecondOccurrence(at, zone),
    accountId,
    mode: isChosen || isScheduled ? post.publish_mode : firstMode(post, account, latest),
    privacy: isChosen ? post.privacy_level : null,
    allowComment: isChosen && !post.disable_comment,
    allowDuet: isChosen && !post.disable_duet,
    allowStitch: isChosen && !post.disable_stitch,
    isCommercial: isChosen && (post.brand_content_toggle || post.brand_organic_toggle),
    isOwnBrand: isChosen && post.brand_organic_toggle,
    isBranded: isChosen && post.brand_content_toggle,
  };
}

/** What was tried last, or what the post says; only then the default of the account. */
function firstMode(
  { publish_mode }: Post,
  account: SocialAccount | undefined,
  latest: Dispatch | undefined,
): PublishForm['mode'] {
  return modeFor(account, latest?.mode ?? (publish_mode === 'inbox' ? 'inbox' : null));
}

const isAhead = (at: string | null, now: number): at is string => at !== null && Date.parse(at) > now;

/** The next full hour that is not too close. */
function nextHour(now: number, leadMs: number): number {
  const HOUR = 3_600_000;
  return Math.ceil((now + Math.max(leadMs, HOUR / 4)) / HOUR) * HOUR;
}

/** Whether a moment is the second at which the clock shows its time. */
export function isSecondOccurrence(at: number | string | Date, zone: string): boolean {
  const meaning = meaningOf(wallOf(at, zone), zone);
  return meaning?.kind === 'twice' && meaning.again === Math.floor(new Date(at).getTime() / 60_000) * 60_000;
}

/** The time the form means; null when there is none. */
export function momentOf(
  { wall, isSecondOccurrence }: Pick<PublishForm, 'wall' | 'isSecondOccurrence'>,
  zone: string,
): number | null {
  const meaning = meaningOf(wall, zone);
  if (!meaning) return null;
  return meaning.kind === 'twice' && isSecondOccurrence ? meaning.again : meaning.at;
}

/** Why nothing can be scheduled at this time; null when it can, or when there is no time yet. */
export function tooSoon(at: number | null, now: number, leadMs: number): string | null {
  if (at === null) return null;
  if (at <= now) return 'This time has passed. Choose a later one.';
  if (at >= now + leadMs) return null;
  return `Choose a time at least ${duration(leadMs)} from now.`;
}

export interface Obstacle {
  reason: string;
  /** What it speaks of, if it is something on the form. */
  field?: SheetField;
}

/** Why a post, or many, cannot be published with this form: the first thing the member has to do, or null. */
export function obstacle(
  form: PublishForm,
  creator: CreatorOptions | undefined,
  isForMany = false,
): Obstacle | null {
  if (form.accountId === null) return { reason: 'Choose an account.', field: 'account' };
  if (form.mode === 'inbox') return null;
  if (!creator) return { reason: 'Loading the account’s options…' };
  if (form.isCommercial && !form.isOwnBrand && !form.isBranded)
    return { reason: UNDISCLOSED, field: 'disclosure' };
  if (form.privacy === null || !creator.privacy_level_options.includes(form.privacy))
    return { reason: `Choose who can see ${isForMany ? 'the posts' : 'the post'}.`, field: 'audience' };
  if (isBrandedPrivate(form)) return { reason: BRANDED_NOT_PRIVATE, field: 'audience' };
  return null;
}

const isBrandedPrivate = (form: PublishForm): boolean =>
  form.isCommercial && form.isBranded && form.privacy === ONLY_ME;

type Publish = NonNullable<
  paths['/api/v1/posts/{id}/publish']['post']['requestBody']
>['content']['application/json'];
type Change = NonNullable<paths['/api/v1/posts/{id}']['patch']['requestBody']>['content']['application/json'];

/** The form says "allow", the platform's field says "disable"; options that the account forbids are never allowed. */
function optionsFrom(form: PublishForm, post: Post, creator: CreatorOptions | undefined) {
  const isDirect = form.mode === 'direct';
  const isVideo = post.post_type === 'video';
  const allows = (isOn: boolean, isForbidden: boolean | undefined) =>
    isDirect && isOn && isForbidden === false;
  return {
    social_account_id: form.accountId ?? '',
    // In the inbox all of this is chosen in the platform's app; the API requires a level, so it gets the narrowest.
    privacy_level: (isDirect && form.privacy ? form.privacy : ONLY_ME) as PrivacyLevel,
    disable_comment: !allows(form.allowComment, creator?.comment_disabled),
    disable_duet: !(isVideo && allows(form.allowDuet, creator?.duet_disabled)),
    disable_stitch: !(isVideo && allows(form.allowStitch, creator?.stitch_disabled)),
    brand_organic_toggle: isDirect && form.isCommercial && form.isOwnBrand,
    brand_content_toggle: isDirect && form.isCommercial && form.isBranded,
  };
}

export const publishBody = (form: PublishForm, post: Post, creator: CreatorOptions | undefined): Publish => ({
  ...optionsFrom(form, post, creator),
  mode: form.mode,
});

export const scheduleBody = (
  form: PublishForm,
  post: Post,
  creator: CreatorOptions | undefined,
  at: number,
): Change => ({
  ...optionsFrom(form, post, creator),
  publish_mode: form.mode,
  status: 'scheduled',
  scheduled_at: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
});

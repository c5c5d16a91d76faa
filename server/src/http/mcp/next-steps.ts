// What an agent can do about a problem. Problems are written for programs and people, who can do more than a tool can: to an agent, which
// would try on, `next` says so.
import { toTimestamp } from '../../core/clock.js';
import type { AppError, ProblemCode } from '../../core/problems.js';
import type { Tool } from './tool.js';

const ASK_TO_RECONNECT =
  'No tool can reconnect an account: ask the person to do it in the dashboard. Until then accounts_list shows it as reconnect_required.';
export const ASK_TO_REMOVE =
  'No tool removes a file: ask the person to do it in the dashboard, or create a new draft with the right files only.';
const START_ANEW =
  'Nothing was published. Wait for retry_after_seconds if it is given, then start again without confirm.';

/** What a post may need beside the problems of the API: one word in lists and previews. */
export const OUTCOME_UNKNOWN = 'outcome_unknown';

export const SETTLE_IT =
  'Do not publish the post again. Ask the person to look for it on the account, and report with post_resolve what they saw.';

export const SEE_STATUS = 'Call post_status to see what has become of the post.';

/** Steps after problems of any tool; `afterProblem` of a tool takes precedence. */
const BY_CODE: Partial<Record<ProblemCode, string>> = {
  not_found: 'Never guess ids: accounts_list, labels_list and posts_list tell them.',
  insufficient_scope: 'Tell the person: the owner can issue a key with this scope in the dashboard.',
  plan_required: 'Tell the person: the plan of the organization does not have this.',
  reconnect_required: ASK_TO_RECONNECT,
  too_many_slides: ASK_TO_REMOVE,
};

/** Steps after a publish that certainly sent nothing. */
export const AFTER_REFUSAL: Partial<Record<ProblemCode, string>> = {
  platform_refused:
    'Nothing was published. Tell the person why; if it can be repaired with post_update, do so and start again without confirm.',
  platform_unavailable: START_ANEW,
  account_blocked: START_ANEW,
  account_paced: START_ANEW,
  busy: START_ANEW,
};

export function nextAfter(
  { afterProblem, input }: Tool,
  { code, fields }: AppError,
  now: number,
): string | undefined {
  const known = afterProblem?.[code] ?? BY_CODE[code];
  if (known !== undefined) return known;
  const { properties } = input as unknown as { properties: object };
  const wrong = fields.map(({ pointer }) => pointer.slice(1));
  const isTaken = (name: string) => name in properties;
  // The tools that write drafts; lists have statuses to filter by.
  const isOfSlot = (name: string) => OF_THE_SLOT.includes(name) || (name === 'status' && isTaken('title'));
  const ofThePost = wrong.filter((name) => OF_THE_POST.includes(name) && !isTaken(name));
  const steps = [
    // Agents have no clock.
    ...(wrong.some((name) => isTaken(name) && IS_TIME.test(name))
      ? [`It is now ${toTimestamp(now)} (UTC).`]
      : []),
    ...(ofThePost.length > 0
      ? [`Set ${ofThePost.join(' and ')} with post_update first, then call this tool again.`]
      : []),
    ...(wrong.some((name) => isOfSlot(name) && !isTaken(name)) ? [USE_SCHEDULE] : []),
    ...(wrong.includes('path') ? [NO_DISK] : []),
    ...(wrong.includes('status') && isTaken('status') ? [STATUS_OR_OUTCOME] : []),
    ...(wrong.includes('post_id') ? ['posts_list tells the ids of posts.'] : []),
    ...(wrong.includes('social_account_id') ? ['accounts_list tells the ids of accounts.'] : []),
    ...(wrong.some(isOfLabels) ? ['labels_list tells the ids of labels.'] : []),
  ];
  return steps.length > 0 ? steps.join(' ') : undefined;
}

/** A label to filter by, or one of those of a post. */
const isOfLabels = (name: string) => /^labels?(\/|$)/.test(name);

/** Fields that post_schedule needs and does not take. */
const OF_THE_POST = ['social_account_id', 'privacy_level'];

/** Fields that the API takes with a post, and that have a tool of their own here. */
const OF_THE_SLOT = ['scheduled_at', 'time_zone'];
const USE_SCHEDULE =
  'This tool changes no slot: complete the draft, then call post_schedule with scheduled_at and time_zone.';

const NO_DISK =
  'Airdate cannot read your files: send filename and content_type, then the bytes to the upload_url that you get. If you cannot send bytes, use post_media_from_url, or ask the person to add the file in the dashboard.';

const STATUS_OR_OUTCOME =
  'Separate several statuses with commas. Posts that failed, or whose outcome is unknown, have an outcome instead: send outcome, or needs_attention.';

/** The time of a slot, or one to filter by. */
const IS_TIME = /^(scheduled_at|(\w+_)?(from|to))$/;

/** What tools cannot repair, by the codes of the preflight's errors. */
export function helpWith(codes: readonly string[]): string[] {
  const has = (...some: string[]) => some.some((code) => codes.includes(code));
  return [
    ...(has('reconnect_required') ? [ASK_TO_RECONNECT] : []),
    ...(has('uploads_pending') ? ['Files are still to come: post_get tells when they have arrived.'] : []),
    ...(has('media_rejected', 'uploads_pending', 'slide_count') ? [ASK_TO_REMOVE] : []),
  ];
}

/** Why the platform gave up on a post, if the cause is in its files. */
const ABOUT_FILES = [
  'file_format_check_failed',
  'duration_check_failed',
  'frame_rate_check_failed',
  'picture_size_check_failed',
  'media_rejected',
];

/** What tools cannot repair after a failure. Its message ends with the code. */
export function helpAfterFailure(message: string): string[] {
  const [, code = ''] = / \((\w+)\)$/.exec(message) ?? [];
  return ABOUT_FILES.includes(code) ? [`The cause is in the files. ${ASK_TO_REMOVE}`] : helpWith([code]);
}

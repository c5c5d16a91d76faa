// What a person reads when the API refuses. Its own sentences are for developers of clients: they speak of keys, headers and
// fields. api/client.ts puts these texts in their place, so that no screen ever has the others.
import type { Problem } from '@airdate/sdk/core';
import { typographic, upperFirst, withoutCode } from './api-text.js';

type Code = Problem['code'];

/** The API writes it for people, because it tells what no fixed text can. problem-texts.test.ts holds it to that. */
const AS_SAID = null;

const OUT_OF_DATE = 'This didn’t work. Reload the page and try again.';
const OUR_FAULT = 'Something went wrong on our side. Try again in a moment.';

export const PROBLEM_TEXTS: Readonly<Record<Code, string | typeof AS_SAID>> = {
  validation_failed: 'Something you entered isn’t accepted. Check it and try again.',
  unauthorized: 'You’re signed out. Sign in to continue.',
  forbidden: 'You’re not allowed to do this. Ask an owner of your organization.',
  insufficient_scope: 'Your role doesn’t allow this. Ask an owner or admin.',
  network_not_allowed: 'The key may not be used from this network.',
  reauthentication_required: 'Confirm that it’s you first.',
  second_factor_required:
    'Your organization requires a second factor. Add one in Settings, under Security, to continue.',
  plan_required: 'Your plan doesn’t include this.',
  not_found: 'It no longer exists. Someone may have deleted it.',
  gone: 'It’s no longer available.',

  no_second_factor: 'Add an authenticator app first.',
  wrong_state: 'The post’s status has changed, so this is no longer possible.',
  precondition_failed:
    'The post has just been changed elsewhere, so nothing was saved. Look at it again first.',
  publish_in_progress: 'The post is being sent right now. Try again in a few seconds.',
  no_media: AS_SAID,
  uploads_pending: AS_SAID,
  reconnect_required: AS_SAID,
  caption_too_long: AS_SAID,
  privacy_level_missing: 'Choose who can see the post.',
  privacy_level_not_offered: 'The account can’t use this audience. Choose another.',
  branded_content_private: 'Branded content can’t be private. Choose another audience.',
  slide_count: AS_SAID,
  cover_out_of_range: AS_SAID,
  video_size: AS_SAID,
  video_type: AS_SAID,
  video_too_long: AS_SAID,

  platform_refused: AS_SAID,
  platform_failed: AS_SAID,
  platform_unavailable: AS_SAID,
  platform_timeout: 'We don’t know whether it was published. Look at the post before you try again.',
  account_paced: AS_SAID,
  account_blocked: AS_SAID,
  safe_mode: 'Nothing is published until your Airdate administrator ends safe mode.',

  email_taken: 'This email is already in use. Sign in, or use another.',
  name_taken: 'This name is already in use. Choose another.',
  last_owner: 'This is the only owner. Make another member an owner first.',
  limit_reached: AS_SAID,
  quota_exceeded: AS_SAID,
  webhook_disabled: 'This webhook is off, so nothing is sent. Turn it on first.',

  video_exists: 'The post already has a video.',
  too_many_slides: AS_SAID,
  media_rejected: AS_SAID,
  file_too_large: 'The file is too large. A slide can be up to 20 MB, a video up to 4 GB.',
  already_uploaded: 'The file is already there.',
  upload_void: 'This upload was cancelled or replaced. Add the file again.',
  upload_superseded: 'A newer upload has replaced this one.',
  upload_incomplete: 'The file hasn’t arrived completely. Try again.',
  upload_mismatch: 'The file changed while it was being sent. Add it again.',
  signature_invalid: 'The upload link has expired. Try again.',

  rate_limited: 'Too many requests. Wait a minute and try again.',
  busy: 'Airdate is busy right now. Try again in a moment.',
  idempotency_key_in_use: 'This is already being done. Wait a moment.',
  request_timeout: 'The connection is too slow or dropped. Try again.',
  unavailable: 'Airdate isn’t available right now. Try again in a moment.',
  internal_error: OUR_FAULT,
  no_space: 'Airdate’s storage is full, so nothing was saved. Tell your Airdate administrator.',
  misdirected_request: 'Airdate isn’t set up for this address. Tell your Airdate administrator.',

  // A person meets these only if the dashboard itself is wrong, or older than the service.
  ...outOfDate(
    ...(['malformed_json', 'bad_request', 'method_not_allowed', 'payload_too_large'] as const),
    ...(['unsupported_media_type', 'range_not_satisfiable', 'expectation_failed'] as const),
    ...(['idempotency_key_reused', 'header_fields_too_large', 'cursor_unknown'] as const),
    ...(['not_in_safe_mode', 'store_taken'] as const),
  ),
};

function outOfDate<C extends Code>(...codes: C[]): Record<C, string> {
  return Object.fromEntries(codes.map((code) => [code, OUT_OF_DATE])) as Record<C, string>;
}

/** What the fields of a request are called on the screens. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  title: 'The title',
  caption: 'The caption',
  hashtags: 'The hashtags',
  scheduled_at: 'The time',
  social_account_id: 'The account',
  labels: 'The labels',
  name: 'The name',
  text: 'The text',
  email: 'The email',
};

/** Identifiers, scopes, formats and headers. The name of a file is none of them. */
const OF_THE_API = new RegExp(
  [
    /\b[a-z]+(?:_[a-z]+)+\b(?!\.\w)|\b[A-Z]+(?:_[A-Z]+)+\b|\b\w+:(?:read|write|publish|manage)\b/,
    /\b(?:JSON|UUID|ISO 8601|IANA|UTC offset|ETag|Retry-After|Content-\w+|Idempotency-Key|Authorization|Bearer)\b/,
    /\b(?:headers?|request body|scopes?|PUT|PATCH|upload URL|object key|dry run)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

export const isForPeople = (text: string): boolean => !OF_THE_API.test(text);

/** Its name in the API is for operators; the rule itself is for everyone. */
const SETTING = / unless the operator allows it \([A-Z_]+\)/;

/** It continues the name of the field: "must have at most 500 characters". */
function fieldText(message: string): string {
  const text = message.replace(SETTING, ' unless your Airdate administrator allows it');
  return isForPeople(text) ? typographic(text) : 'isn’t accepted. Check it and try again';
}

/** The problem with the texts for people in the place of the API's. Whatever code comes, and with whatever words. */
export function forPeople<P extends Pick<Problem, 'code' | 'status' | 'detail' | 'errors'>>(problem: P): P {
  const errors = (problem.errors ?? []).map(({ pointer, message }) => ({
    pointer,
    message: fieldText(message),
  }));
  return { ...problem, detail: detailOf({ ...problem, errors }), ...(problem.errors ? { errors } : {}) };
}

function detailOf({
  code,
  status,
  detail,
  errors,
}: Pick<Problem, 'code' | 'status' | 'detail' | 'errors'>): string {
  const text = Object.hasOwn(PROBLEM_TEXTS, code) ? PROBLEM_TEXTS[code] : unknownText(status);
  if (text === AS_SAID) {
    const said = withoutCode(detail);
    return isForPeople(said) ? said : unknownText(status);
  }
  if (code !== 'validation_failed') return text ?? '';
  const named = (errors ?? []).flatMap(({ pointer, message }) => {
    const name = FIELD_NAMES[pointer.split('/')[1] ?? ''];
    return name === undefined ? [] : [`${name} ${message}.`];
  });
  return named.length > 0 && named.length === errors?.length ? named.map(upperFirst).join(' ') : text;
}

/** A code that is newer than this page. */
const unknownText = (status: number): string => (status >= 500 ? OUR_FAULT : OUT_OF_DATE);

/** What preflight and readiness find, where their own words are not for people either. */
const FINDING_TEXTS: Readonly<Record<string, string>> = {
  wrong_state: 'The post has already been sent, or is archived.',
  privacy_level_not_offered: 'The account can’t use this audience. Choose another.',
  not_on_platform: 'The platform doesn’t have one of the chosen settings, so it has no effect there.',
  creator_unknown:
    'We couldn’t check what the account allows right now. It’s checked again when you publish.',
  public_url: 'Airdate’s own address isn’t set up for publishing. Ask your Airdate administrator.',
  safe_mode: 'Nothing is published until your Airdate administrator ends safe mode.',
  store_unavailable: 'Nothing is published right now: the file store isn’t available.',
};

export const findingText = (code: string, said: string): string => FINDING_TEXTS[code] ?? withoutCode(said);

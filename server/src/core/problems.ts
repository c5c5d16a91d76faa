// Every way a request can fail, as data. Use cases throw an AppError by code; only this table knows the HTTP status, and
// only http/problem-reply.ts writes the response.

export const PROBLEMS = {
  malformed_json: [400, 'The body is not valid JSON'],
  validation_failed: [400, 'The request is not valid'],
  bad_request: [400, 'The request could not be understood'],
  upload_mismatch: [400, 'The upload does not match the declared type or length'],
  unauthorized: [401, 'A valid API key or session is required'],
  forbidden: [403, 'This is not allowed'],
  insufficient_scope: [403, 'The key or role lacks a required scope'],
  signature_invalid: [403, 'The signed URL is not valid'],
  plan_required: [403, 'Your plan does not include this'],
  network_not_allowed: [403, 'The key may not be used from this network'],
  reauthentication_required: [403, 'You must confirm that it is you'],
  second_factor_required: [403, 'The organization requires a second factor'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'The request took too long to arrive'],
  wrong_state: [409, 'The status of the post does not allow this'],
  no_media: [409, 'The post has no uploaded file'],
  uploads_pending: [409, 'A file of the post is still being fetched'],
  reconnect_required: [409, 'The account must be reconnected'],
  publish_in_progress: [409, 'The post is being sent to the platform'],
  email_taken: [409, 'This email is already in use'],
  last_owner: [409, 'An organization needs at least one owner'],
  no_second_factor: [409, 'There is no second factor yet'],
  not_in_safe_mode: [409, 'The service is not in safe mode'],
  store_taken: [409, 'The file store belongs to another installation'],
  idempotency_key_in_use: [409, 'The first request with this Idempotency-Key is still in progress'],
  video_exists: [409, 'The post already has a video'],
  too_many_slides: [409, 'The post has too many slides'],
  already_uploaded: [409, 'The file was already uploaded'],
  upload_void: [409, 'This upload URL can no longer be used'],
  upload_superseded: [409, 'A newer upload to the same URL has replaced this one'],
  upload_incomplete: [409, 'The file has not arrived yet'],
  name_taken: [409, 'This name is already in use'],
  limit_reached: [409, 'The organization has reached the limit for this resource'],
  webhook_disabled: [409, 'The webhook is disabled'],
  quota_exceeded: [409, 'A quota of the organization is used up'],
  gone: [410, 'No longer available'],
  cursor_unknown: [410, 'Unknown event cursor'],
  precondition_failed: [412, 'The post has changed since it was read'],
  payload_too_large: [413, 'The body is too large'],
  file_too_large: [413, 'The file is too large'],
  unsupported_media_type: [415, 'The content type or encoding is not supported'],
  range_not_satisfiable: [416, 'The range is outside the file'],
  expectation_failed: [417, 'The Expect header cannot be satisfied'],
  misdirected_request: [421, 'The request is for another host'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used for a different request'],
  media_rejected: [422, 'The file was rejected'],
  caption_too_long: [422, 'Caption and hashtags are too long for the platform'],
  privacy_level_missing: [422, 'The post has no privacy level'],
  privacy_level_not_offered: [422, 'The account cannot use this privacy level'],
  branded_content_private: [422, 'Branded content cannot be private'],
  slide_count: [422, 'The platform accepts 1 to 35 slides'],
  cover_out_of_range: [422, 'The chosen cover is not among the slides'],
  video_size: [422, 'The platform does not accept a video of this size'],
  video_type: [422, 'The platform does not accept videos of this type'],
  video_too_long: [422, 'The video is too long for the account'],
  platform_refused: [422, 'The platform refused the request'],
  rate_limited: [429, 'Too many requests'],
  header_fields_too_large: [431, 'The request headers are too large'],
  internal_error: [500, 'Something went wrong on our side'],
  platform_failed: [502, 'The platform returned an error'],
  safe_mode: [503, 'The service is in safe mode'],
  busy: [503, 'Too many operations of this kind are in progress'],
  unavailable: [503, 'The service is temporarily unavailable'],
  platform_unavailable: [503, 'The platform is temporarily unavailable'],
  account_paced: [503, 'The account has reached its publishing limit for now'],
  account_blocked: [503, 'The platform has blocked the account or this app for now'],
  platform_timeout: [504, 'The platform did not answer; the outcome is unknown'],
  no_space: [507, 'No space left on the server'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The codes that are sent with this status. */
export type CodeWith<Status extends number> = {
  [Code in ProblemCode]: (typeof PROBLEMS)[Code][0] extends Status ? Code : never;
}[ProblemCode];

/** One broken rule: `pointer` is a JSON pointer into the body, or a parameter's name in that form. */
export interface FieldError {
  pointer: string;
  message: string;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly fields: FieldError[];
  readonly headers: Record<string, string>;

  /** `detail` tells a person what to do, and must reveal nothing internal. */
  constructor(
    code: ProblemCode,
    detail: string,
    more: { fields?: FieldError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = PROBLEMS[code][0];
    this.fields = more.fields ?? [];
    this.headers = more.headers ?? {};
  }
}

/** A problem as it is sent (RFC 9457). */
export const problemDocument = ({ code, status, message, fields }: AppError, requestId: string) => ({
  type: `/problems/${code}`,
  title: PROBLEMS[code][1],
  status,
  detail: message,
  code,
  ...(fields.length > 0 ? { errors: fields } : {}),
  request_id: requestId,
});

/** The same text for unknown, malformed and foreign ids: the response must not tell which it was. */
export const notFound = (thing: string) =>
  new AppError(
    'not_found',
    `There is no such ${thing}. Check the id, and that it belongs to your organization.`,
  );

export function invalid(fields: FieldError[]) {
  const errors = fields.map(({ pointer, message }) => {
    const name = pointer.slice(1).replaceAll('/', '.');
    return name === '' ? `The body ${message}` : `${name} ${message}`;
  });
  const detail =
    errors.length === 1 ? `${errors}.` : `The request has ${errors.length} errors: ${errors.join('; ')}.`;
  return new AppError('validation_failed', detail, { fields });
}

/** `act` starts the sentence: the action that needs the scope. */
export const forbiddenScope = (scope: string, act = 'This') =>
  new AppError('insufficient_scope', `${act} needs the scope ${scope}. Use a key that has it.`);

export const forbiddenRole = (role: string, scope: string, act = 'This') =>
  new AppError(
    'insufficient_scope',
    `${act} needs ${scope}, which your role (${role}) does not have. Ask an owner.`,
  );

export const unauthorized = (detail: string) =>
  new AppError('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' } });

export const unavailable = (detail: string, cause?: unknown) =>
  new AppError('unavailable', detail, { headers: { 'retry-after': '1' }, cause });

/** The queue for this kind of work is full; try again after about this many seconds. */
export const busy = (detail: string, seconds: number) =>
  new AppError('busy', detail, { headers: { 'retry-after': String(seconds) } });

/**
 * What a healthy installation meets now and then: our own pacing, the platform's 429 or outage, a lost response, overload.
 * Any other error that ends a request or a worker's run is a defect, or a fault of the installation.
 */
export function isExpected(error: unknown): boolean {
  if (error instanceof AppError) {
    // Rewording a failure for the caller does not change its nature.
    if (error.cause !== undefined) return isExpected(error.cause);
    return error.status >= 502 && error.status <= 504;
  }
  // The database is up but busy: a lock, a lost race, a full pool, a slow query.
  const { code, message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return code === undefined
    ? /^(timeout exceeded when trying to connect|Query read timeout)/.test(message)
    : /^(SQLITE_BUSY|SQLITE_LOCKED|40001$|40P01$|55P03$|57014$|25P03$|53300$)/.test(code);
}

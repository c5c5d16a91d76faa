// Every way a request can fail, as data. Business code throws an AppError by its code; only this table knows
// the HTTP status, and only http/problem-reply.ts writes the answer.

export const PROBLEMS = {
  malformed_json: [400, 'The body is not valid JSON'],
  validation_failed: [400, 'The request breaks a rule of this endpoint'],
  bad_request: [400, 'The request could not be understood'],
  upload_mismatch: [400, 'The upload is not the one that was announced'],
  unauthorized: [401, 'A valid API key or sign-in is needed'],
  forbidden: [403, 'This is not allowed'],
  insufficient_scope: [403, 'The caller may not do this'],
  signature_invalid: [403, 'The signed address is not valid'],
  plan_required: [403, 'The plan does not include this'],
  not_found: [404, 'There is no such thing'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request took too long to arrive'],
  wrong_state: [409, 'The state of the post does not allow this'],
  no_media: [409, 'The post has no uploaded file'],
  reconnect_required: [409, 'The account must be connected again'],
  publish_in_progress: [409, 'The post is being sent this very moment'],
  email_taken: [409, 'Somebody has this email already'],
  last_owner: [409, 'An organization needs an owner'],
  not_in_safe_mode: [409, 'The service is not in safe mode'],
  idempotency_key_in_use: [409, 'The first request with this Idempotency-Key is still under way'],
  video_exists: [409, 'The post has a video already'],
  too_many_slides: [409, 'The post has too many slides'],
  already_uploaded: [409, 'The file was uploaded already'],
  upload_void: [409, 'The upload is no longer wanted'],
  upload_incomplete: [409, 'The file has not arrived'],
  gone: [410, 'It is no longer there'],
  cursor_unknown: [410, 'The event cursor is not one of ours'],
  payload_too_large: [413, 'The body is too large'],
  file_too_large: [413, 'The file is too large'],
  unsupported_media_type: [415, 'The body is of a kind that is not taken here'],
  range_not_satisfiable: [416, 'The range lies outside of the file'],
  expectation_failed: [417, 'The expectation cannot be met'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used for another request'],
  media_rejected: [422, 'The file was refused'],
  caption_too_long: [422, 'Caption and hashtags are too long for the platform'],
  privacy_level_missing: [422, 'Nobody has chosen who can see the post'],
  privacy_level_not_offered: [422, 'The account may not use this privacy level'],
  branded_content_private: [422, 'Branded content cannot be private'],
  slide_count: [422, 'The platform takes 1 to 35 slides'],
  video_size: [422, 'The platform does not take a video of this size'],
  video_type: [422, 'The platform does not take videos of this type'],
  video_too_long: [422, 'The video is too long for the account'],
  platform_refused: [422, 'The platform refuses this'],
  rate_limited: [429, 'Too many requests'],
  header_fields_too_large: [431, 'The request headers are too large'],
  internal_error: [500, 'Something went wrong on our side'],
  platform_failed: [502, 'The platform failed'],
  safe_mode: [503, 'The service is in safe mode'],
  unavailable: [503, 'The service cannot answer right now'],
  platform_unavailable: [503, 'The platform is not available right now'],
  account_paced: [503, 'The account has been given as many posts as it takes for now'],
  platform_timeout: [504, 'The platform did not answer; the outcome is unknown'],
  no_space: [507, 'No space left'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One broken rule: where (a JSON pointer into the body, or the parameter's name as one) and what. */
export interface FieldError {
  pointer: string;
  message: string;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ProblemCode;
  readonly fields: FieldError[];
  readonly headers: Record<string, string>;

  /** `detail` is a sentence for a person that says what to do. It must hold nothing internal. */
  constructor(
    code: ProblemCode,
    detail: string,
    more: { fields?: FieldError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.fields = more.fields ?? [];
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return PROBLEMS[this.code][0];
  }
}

/** The same words for unknown, malformed and foreign ids: the answer must not tell which it was. */
export const notFound = (thing: string) =>
  new AppError(
    'not_found',
    `There is no such ${thing}. Check the id, and that it belongs to your organization.`,
  );

export const invalid = (fields: FieldError[]) =>
  new AppError(
    'validation_failed',
    fields.length === 1
      ? `${describe(fields[0] as FieldError)}.`
      : `${fields.length} rules are broken: ${fields.map(describe).join('; ')}.`,
    { fields },
  );

export const wrongState = (detail: string) => new AppError('wrong_state', detail);

/** `act` begins the sentence: what it is that needs the scope. */
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

/**
 * What a healthy installation meets now and then: our own pacing, the platform's 429 or outage, a lost answer, overload.
 * Everything else that ends a request or a turn of the worker is a defect, or a fault of the installation.
 */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof AppError)) return isOverload(error);
  // A failure that was only translated for the caller is still what it was.
  if (error.cause !== undefined) return isExpected(error.cause);
  return error.status >= 502 && error.status <= 504;
}

/** The database is there, but others were at it for too long: a lock, a lost race, a full pool, a slow query. */
function isOverload(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return code === undefined
    ? /^(timeout exceeded when trying to connect|Query read timeout)/.test(message)
    : /^(SQLITE_BUSY|SQLITE_LOCKED|40001$|40P01$|55P03$|57014$|25P03$|53300$)/.test(code);
}

function describe({ pointer, message }: FieldError): string {
  const name = pointer.slice(1).replaceAll('/', '.');
  return name === '' ? `The body ${message}` : `${name} ${message}`;
}

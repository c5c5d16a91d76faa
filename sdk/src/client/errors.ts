// What a call can fail with. The class says what family of failure it is, `code` which one exactly.
import type { AnyOutcome } from './outcomes.js';
import type { Problem } from './schemas.js';

/** What is wrong, for programs: the codes of the API, and the SDK's own for what no response says. */
export type ErrorCode =
  | Problem['code']
  | 'unreachable'
  | 'unexpected_response'
  | 'stream_ended'
  | 'outcome_unknown'
  | 'not_published';

interface ErrorContext {
  response?: Response | undefined;
  problem?: Problem | undefined;
  idempotencyKey?: string | undefined;
  cause?: unknown;
}

/**
 * A refusal, or a call that was not answered.
 *
 * @example
 * ```ts
 * import { AirdateError } from '@airdate/sdk';
 *
 * try {
 *   await airdate.posts.get('no-such-post');
 * } catch (error) {
 *   if (!(error instanceof AirdateError)) throw error;
 *   console.log(error.status, error.code, error.requestId); // 404 not_found req_…
 * }
 * ```
 */
export class AirdateError extends Error {
  override name = 'AirdateError';
  /** The HTTP status; 0 if no response came. */
  readonly status: number;
  /** The stable identifier of the problem. A later version of the service may have more. */
  readonly code: ErrorCode;
  /** The whole problem, if the service sent one. */
  readonly problem: Problem | undefined;
  readonly requestId: string | undefined;
  /** After how many seconds the service wants to be asked again. */
  readonly retryAfter: number | undefined;
  /** Sent with the request. The same call with this key takes effect once, however often it is repeated within 24 hours. */
  readonly idempotencyKey: string | undefined;

  constructor(
    message: string,
    code: ErrorCode,
    { response, problem, idempotencyKey, cause }: ErrorContext = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = response?.status ?? 0;
    this.code = code;
    this.problem = problem;
    this.requestId = problem?.request_id ?? response?.headers.get('x-request-id') ?? undefined;
    this.retryAfter = secondsOf(response?.headers.get('retry-after'));
    this.idempotencyKey = idempotencyKey;
  }

  /** One entry for each invalid field, with a JSON pointer to it. */
  get errors(): readonly { pointer: string; message: string }[] {
    return this.problem?.errors ?? [];
  }

  /** What is wrong with one field of the body, or one parameter. */
  of(field: string): string | undefined {
    return this.errors.find(({ pointer }) => pointer === `/${field}`)?.message;
  }
}

/** 400: fields outside their rules. */
export class ValidationError extends AirdateError {
  override name = 'ValidationError';
}

/** 401: no valid key. */
export class Unauthorized extends AirdateError {
  override name = 'Unauthorized';
}

/** 403: plan, role or scope does not allow it. */
export class Forbidden extends AirdateError {
  override name = 'Forbidden';
}

/** 404, 410: unknown, or no longer there. */
export class NotFound extends AirdateError {
  override name = 'NotFound';
}

/** 409, 412: the state does not allow it, or has changed since it was read. */
export class Conflict extends AirdateError {
  override name = 'Conflict';
}

/** 413, 415, 422 and other refusals of the content: by the service, or by the platform. */
export class Refused extends AirdateError {
  override name = 'Refused';
}

/** 429. */
export class RateLimited extends AirdateError {
  override name = 'RateLimited';
}

/** 5xx: try again later. Of a publish, it is certain that nothing was sent. */
export class Unavailable extends AirdateError {
  override name = 'Unavailable';
}

/** No response came: the service could not be reached, or the connection was lost. */
export class Unreachable extends Unavailable {
  override name = 'Unreachable';
}

/**
 * The post may or may not have been published. Never publish it again because of this: ask `posts.waitUntilPublished`, or look
 * at the platform and call `posts.resolve`.
 */
export class OutcomeUnknown extends AirdateError {
  override name = 'OutcomeUnknown';
}

/** Thrown by `orThrow()` alone: the post is not on the platform, or not yet. */
export class NotPublished extends AirdateError {
  override name = 'NotPublished';
  readonly outcome: Exclude<AnyOutcome, { status: 'published' | 'in_inbox' | 'unknown' }>;

  constructor(message: string, outcome: NotPublished['outcome']) {
    super(message, 'not_published');
    this.outcome = outcome;
  }
}

const FAMILIES: Record<number, typeof AirdateError> = {
  400: ValidationError,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: NotFound,
  412: Conflict,
  429: RateLimited,
};

/** The error for a response that is no success; `text` is its body. */
export function errorOf(response: Response, text: string, idempotencyKey: string | undefined): AirdateError {
  const { status } = response;
  const problem = problemIn(text);
  const Family = FAMILIES[status] ?? (status < 500 ? Refused : Unavailable);
  return new Family(
    problem?.detail ?? `The service sent an unexpected response (HTTP ${status}).`,
    problem?.code ?? 'unexpected_response',
    { response, problem, idempotencyKey },
  );
}

function problemIn(text: string): Problem | undefined {
  try {
    const problem = JSON.parse(text) as Problem | null;
    return typeof problem?.code === 'string' ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds, or a date. */
function secondsOf(header: string | null | undefined): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

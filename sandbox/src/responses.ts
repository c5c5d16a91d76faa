// The three parts of a response: the API's envelope, OAuth's flat errors, and log ids on both.
import { randomBytes } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Platform } from './platform.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Sandbox only: sent in the response and in the header x-tt-logid. */
    logId?: string;
  }
}

const GUIDELINES =
  'Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/';

/** HTTP status and message of every code. Most messages were observed on the real platform, hence their style. */
const CODES = {
  invalid_params: [400, 'The request parameters are invalid.'],
  token_not_authorized_for_specified_publish_id: [400, 'The token is not authorized for this publish_id.'],
  publish_not_cancellable: [400, 'The publish can not be cancelled any more.'],
  spam_risk_too_many_pending_share: [400, 'spam_risk_too_many_pending_share'],
  access_token_invalid: [401, 'The access token is invalid or not found in the request.'],
  scope_not_authorized: [401, 'The user did not authorize the scope required for completing this request.'],
  spam_risk_too_many_posts: [403, GUIDELINES],
  spam_risk_user_banned_from_posting: [403, GUIDELINES],
  reached_active_user_cap: [403, GUIDELINES],
  unaudited_client_can_only_post_to_private_accounts: [403, GUIDELINES],
  url_ownership_unverified: [
    403,
    'Please review our URL ownership verification rules at https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide/#pull_from_url',
  ],
  privacy_level_option_mismatch: [403, GUIDELINES],
  unsupported_path: [404, 'Unsupported path'],
  rate_limit_exceeded: [429, 'The API rate limit was exceeded. Please try again later.'],
  internal_error: [500, 'Something is wrong. Please try again later.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type Code = keyof typeof CODES;

/** An error in the envelope. */
export class ApiError extends Error {
  readonly code: Code;
  readonly status: number;
  constructor(code: Code, message?: string, status?: number) {
    super(message ?? CODES[code][1]);
    this.code = code;
    this.status = status ?? CODES[code][0];
  }
}

export const invalid = (message?: string) => new ApiError('invalid_params', message);

/** An error from the token endpoints. */
export class OAuthError extends Error {
  readonly error: string;
  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

export function succeed(request: FastifyRequest, reply: FastifyReply, data?: object) {
  const error = { code: 'ok', message: '', log_id: request.logId };
  return sendJson(reply, data ? { data, error } : { error });
}

/** The platform's 64-bit numbers exceed JavaScript's: here they are bigints, in JSON plain digits. */
export function sendJson(reply: FastifyReply, body: object) {
  const text = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? `int64:${value}` : value));
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(text.replaceAll(/"int64:(\d+)"/g, '$1'));
}

/** Fourteen digits of UTC time, then twenty hexadecimal ones. */
export function newLogId(now: number): string {
  const digits = new Date(now).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return digits + randomBytes(10).toString('hex').toUpperCase();
}

/** Gives every request its log id, and every error its shape. */
export function shapeAnswers(app: FastifyInstance, platform: Platform): void {
  const { settings, log } = platform;
  app.addHook('onRequest', async (request, reply) => {
    request.logId = newLogId(platform.now());
    reply.header('x-tt-logid', request.logId).header('x-content-type-options', 'nosniff');
  });
  app.setNotFoundHandler(async () => {
    throw new ApiError('unsupported_path');
  });
  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const log_id = request.logId;
    if (thrown instanceof OAuthError) {
      const { error, message: error_description } = thrown;
      return sendJson(reply.code(settings.oauth_error_status), { error, error_description, log_id });
    }
    const error = toApiError(thrown);
    if (error.status >= 500 && error !== (thrown as unknown))
      log.error({ err: { message: thrown.message, stack: thrown.stack } }, 'the sandbox failed');
    reply.code(error.status);
    if (request.url.startsWith('/v2/oauth/'))
      return sendJson(reply, { error: 'server_error', error_description: error.message, log_id });
    const code = error.code === 'invalid_params' ? settings.bad_parameter_code : error.code;
    const hasData = settings.data_in_errors && error.code !== 'spam_risk_too_many_pending_share';
    return sendJson(reply, {
      ...(hasData ? { data: {} } : {}),
      error: { code, message: error.message, log_id },
    });
  });
}

/** What the framework refuses (a body too long, a URL that cannot be decoded) counts as a bad request. */
function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error;
  return (error.statusCode ?? 500) < 500 ? invalid() : new ApiError('internal_error');
}

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The request's body, which must be a JSON object. */
export function jsonOf(request: FastifyRequest): Fields {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) throw invalid();
  try {
    const body = JSON.parse(String(request.body));
    if (isFields(body)) return body;
  } catch {}
  throw invalid();
}

/** The request's form body; null if it has none. */
export function formOf(request: FastifyRequest): URLSearchParams | null {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return null;
  return new URLSearchParams(String(request.body ?? ''));
}

/** The query parameters, each name once. */
export function queryOf({ url }: FastifyRequest): Partial<Record<string, string>> {
  const start = url.indexOf('?');
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)));
}

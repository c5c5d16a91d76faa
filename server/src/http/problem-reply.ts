// Every failure is sent as application/problem+json (RFC 9457), without anything internal.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { logLevelFor, toLogFields } from '../core/log.js';
import { AppError, type ProblemCode, problemDocument, unavailable } from '../core/problems.js';
import { isOutOfSpace, isUnreachable } from '../db/failures.js';
import { isStoreFailure, storeFailure } from '../object-store/store-failure.js';

export function replyWithProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = asAppError(error, request.routeOptions?.bodyLimit);
  if (problem.status >= 500)
    request.log[logLevelFor(problem)](
      { ...toLogFields(problem), code: problem.code, request_id: request.id },
      'a request failed',
    );
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json')
    .send(problemBody(problem, request.id));
}

export function problemBody(problem: AppError, requestId: string): string {
  return JSON.stringify(problemDocument(problem, requestId));
}

/** Errors raised by the framework, by code. */
const FRAMEWORK: Record<string, [ProblemCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as "Content-Type: application/json".',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'bad_request',
    'The body is shorter or longer than Content-Length says.',
  ],
  FST_ERR_BAD_URL: ['bad_request', 'The URL is not properly encoded.'],
};

/** `bodyLimit` is the route's own, in bytes. */
export function asAppError(error: unknown, bodyLimit?: number): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new AppError('payload_too_large', `A JSON body may have at most ${formatSize(bodyLimit)}.`);
  const known = FRAMEWORK[code ?? ''];
  if (known) return new AppError(known[0], known[1]);
  if (isStoreFailure(error)) return storeFailure(error);
  if (isUnreachable(error))
    return unavailable('The database cannot be reached. Try again in a moment.', error);
  if (isOutOfSpace(error))
    return new AppError('no_space', 'The server has no space left; nothing was saved.', { cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('bad_request', `The request could not be read: ${message ?? 'it is malformed'}.`);
  return new AppError(
    'internal_error',
    'Something went wrong on our side. If it happens again, quote the request id.',
    {
      cause: error,
    },
  );
}

const formatSize = (bytes = 64 * 1024) =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / (1024 * 1024)} MB here`;

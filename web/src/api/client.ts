// The only way to the API: the SDK with this browser's session. Everything but a success becomes an ApiError.
import { createAirdate, type Post, type Problem } from '@airdate/sdk';
import { typographic } from '../ui/api-text.js';
import { withKnownAnswers } from './known-answers.js';
import { doubtConnection, isNoAnswer, noteAnswer } from './outage.js';
import { personOfPage, reportSessionLost } from './session.js';

export const api = createAirdate({
  baseUrl: window.location.origin,
  fetch: withKnownAnswers(asPerson) as typeof fetch,
});

async function asPerson(request: Request): Promise<Response> {
  const person = personOfPage();
  if (person !== undefined) request.headers.set('x-airdate-person', person);
  const response = await fetch(request).catch((error: unknown) => {
    doubtConnection();
    throw error;
  });
  if (isNoAnswer(response.status)) doubtConnection();
  else noteAnswer();
  const isLost = response.status === 401 && !new URL(request.url).pathname.startsWith('/api/v1/auth');
  if (isLost) {
    const problem = asProblem(
      await response
        .clone()
        .json()
        .catch(() => null),
      response,
    );
    reportSessionLost(new ApiError(problem, 401));
  }
  return response;
}

/** A post with its ETag, with which a change of it says what its writer has seen. */
export type SeenPost = Post & { readonly etag?: string | undefined };

export class ApiError extends Error {
  readonly problem: Problem;
  readonly status: number;

  constructor(problem: Problem, status: number) {
    super(typographic(problem.detail ?? problem.title));
    this.problem = problem;
    this.status = status;
  }

  /** What the API says about one field of the form, by its name. */
  of(field: string): string | undefined {
    return this.problem.errors?.find(({ pointer }) => pointer === `/${field}`)?.message;
  }
}

/** The API gave no answer, or none that it could stand for: no screen can do anything about it. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && ['unreachable', 'unavailable'].includes(error.problem.code);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a response; throws an ApiError for a refusal, or when the API could not be reached. */
export async function ask<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch {
    throw new ApiError(unreachable, 0);
  }
  const { data, error, response } = answer;
  // A refusal may have no body.
  if (error !== undefined || !response.ok) throw new ApiError(asProblem(error, response), response.status);
  return data as T;
}

/** The same for responses of the form `{"data": …}`. */
export async function askFor<T>(call: Promise<Answer<{ data: T }>>): Promise<T> {
  return (await ask(call)).data;
}

/** The same for a post. Its ETag is absent if the response has none. */
export async function askForPost(call: Promise<Answer<{ data: Post }>>): Promise<SeenPost> {
  const post = await askFor(call);
  const etag = (await call).response.headers.get('etag');
  return etag === null ? post : { ...post, etag };
}

/** The header that makes a change of a post depend on it. */
export const ifUnchanged = (etag: string | undefined) =>
  etag === undefined ? {} : { header: { 'If-Match': etag } };

const unreachable: Problem = {
  type: 'about:blank',
  title: 'Can’t reach Airdate',
  status: 503,
  code: 'unreachable',
  detail: 'Can’t reach Airdate. Check your connection and try again.',
  request_id: '',
};

function asProblem(error: unknown, response: Response): Problem {
  if (typeof error === 'object' && error !== null && 'code' in error) return error as Problem;
  return {
    ...unreachable,
    status: response.status,
    detail: `Airdate sent an unexpected response (HTTP ${response.status}). Try again in a moment.`,
  };
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong. Try again in a moment.';

// The only way to the API: the SDK with this browser's session. Everything but a success becomes an ApiError.
import { createAirdate, type Problem } from '@airdate/sdk';

export const api = createAirdate({ baseUrl: window.location.origin });

export class ApiError extends Error {
  readonly problem: Problem;
  readonly status: number;

  constructor(problem: Problem, status: number) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
    this.status = status;
  }

  /** What the API says about one field of the form, by its name. */
  of(field: string): string | undefined {
    return this.problem.errors?.find(({ pointer }) => pointer === `/${field}`)?.message;
  }
}

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

const unreachable: Problem = {
  type: 'about:blank',
  title: 'Airdate does not answer',
  status: 503,
  code: 'unreachable',
  detail: 'Airdate does not answer. Check your connection; what you typed is still here.',
  request_id: '',
};

function asProblem(error: unknown, response: Response): Problem {
  if (typeof error === 'object' && error !== null && 'code' in error) return error as Problem;
  return {
    ...unreachable,
    status: response.status,
    detail: `The answer was not understood (HTTP ${response.status}). Try again in a moment.`,
  };
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong. Try again in a moment.';

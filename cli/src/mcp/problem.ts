// Problems that are found here, in the shape of the service's own, so that an agent reads one shape only.

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: { pointer: string; message: string }[];
  request_id?: string;
}

/** Titles as the service has them; what only happens here has no page there, and the status 0 of what was not answered. */
const KNOWN = {
  validation_failed: [400, 'The request is not valid'],
  forbidden: [403, 'This is not allowed'],
  media_rejected: [422, 'The file was rejected'],
  unreachable: [0, 'The service could not be reached'],
  upload_failed: [0, 'The file could not be sent'],
  unexpected_response: [0, 'The answer was not one of the service'],
} as const;

type Code = keyof typeof KNOWN;

export const problemOf = (code: Code, detail: string, errors?: Problem['errors']): Problem => {
  const [status, title] = KNOWN[code];
  const type = status === 0 ? 'about:blank' : `/problems/${code}`;
  return { type, title, status, detail, code, ...(errors ? { errors } : {}) };
};

/** Fields of the call that are wrong. */
export const invalid = (errors: NonNullable<Problem['errors']>): Problem => {
  const messages = errors.map(
    ({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.')} ${message}`,
  );
  const detail =
    messages.length === 1
      ? `${messages[0]}.`
      : `The request has ${messages.length} errors: ${messages.join('; ')}.`;
  return problemOf('validation_failed', detail, errors);
};

/** Ends a call. */
export class Refusal extends Error {
  readonly problem: Problem;
  readonly next: string | undefined;

  constructor(problem: Problem, next?: string) {
    super(problem.detail);
    this.problem = problem;
    this.next = next;
  }
}

export const invalidPath = (message: string, next?: string): Refusal =>
  new Refusal(invalid([{ pointer: '/path', message }]), next);

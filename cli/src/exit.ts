// What the program's end says to a script.
import {
  AirdateError,
  Forbidden,
  NotFound,
  type Outcome,
  OutcomeUnknown,
  RateLimited,
  Unauthorized,
  Unavailable,
} from '@airdate/sdk';
import { CommanderError } from 'commander';

export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  refused: 3,
  auth: 4,
  notFound: 5,
  tryAgain: 6,
  publishFailed: 7,
  outcomeUnknown: 8,
  interrupted: 130,
} as const;

/** Every code with its meaning, for `--help`. */
export const EXIT_CODES = `Exit codes:
  0    done
  1    any other failure
  2    invalid usage
  3    refused: invalid input, or the state does not allow it
  4    no valid key, or not allowed
  5    not found
  6    try again: unreachable, busy, or too many requests
  7    publishing failed
  8    the outcome is unknown: do not publish again
  130  interrupted`;

/** Ends the program with this code, after words about it. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usage = (message: string): ExitError => new ExitError(EXIT.usage, message);

export function exitCodeOf(error: unknown): number {
  if (error instanceof ExitError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof AirdateError) return codeOfProblem(error);
  // Paths that lead nowhere, and arguments that the SDK cannot use.
  if (error instanceof TypeError || isFileError(error)) return EXIT.usage;
  return EXIT.failure;
}

function codeOfProblem(error: AirdateError): number {
  if (error instanceof OutcomeUnknown) return EXIT.outcomeUnknown;
  if (error instanceof Unauthorized || error instanceof Forbidden) return EXIT.auth;
  if (error instanceof NotFound) return EXIT.notFound;
  if (error instanceof RateLimited) return EXIT.tryAgain;
  if (error instanceof Unavailable) return error.status === 500 ? EXIT.failure : EXIT.tryAgain;
  return error.code === 'unexpected_response' ? EXIT.failure : EXIT.refused;
}

/** Time that ran out is no outcome: the post may still be published. */
export function exitCodeOfOutcome(status: Outcome['status']): number {
  if (status === 'failed') return EXIT.publishFailed;
  return status === 'published' || status === 'in_inbox' ? EXIT.ok : EXIT.outcomeUnknown;
}

const isFileError = (error: unknown): boolean =>
  error instanceof Error &&
  ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'].includes(String(Reflect.get(error, 'code')));

// One structured line per event. Each call site chooses what to log (an allow-list): request bodies, query strings,
// headers and keys are never passed in, so nothing needs redacting.
import { type DestinationStream, type Logger, pino } from 'pino';

import { waitWithTimeout } from './concurrency.js';
import { AppError, isExpected } from './problems.js';

export type Log = Logger;

const FLUSH_MS = 1_000;

export interface LogOptions {
  level: string;
  /** Readable lines instead of JSON; the default on a terminal. */
  human: boolean;
  /** Which process writes, for each line in JSON. */
  writer?: Writer;
}

export interface Writer {
  role: string;
  instance: string;
  version: string;
}

export function createLog(options: LogOptions): Log {
  return pino(
    {
      level: options.level,
      base: options.human ? null : (options.writer ?? null),
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
    },
    options.human ? humanLines : batchedLines(),
  );
}

/** Formats the second once, and only the milliseconds for each line. */
function isoTime(): () => string {
  let second = Number.NaN;
  let upToSecond = '';
  return () => {
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) {
      second = now - ms;
      upToSecond = `,"time":"${new Date(second).toISOString().slice(0, 20)}`;
    }
    return `${upToSecond}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z"`;
  };
}

/** Lines from the same iteration of the event loop go out in one write: under load that is dozens. */
function batchedLines(): DestinationStream & { flush(done: () => void): void } {
  const stdout = pino.destination({ dest: 1, sync: false });
  let lines = '';
  const write = () => {
    if (lines !== '') stdout.write(lines);
    lines = '';
  };
  return {
    write(line) {
      if (lines === '') setImmediate(write);
      lines += line;
    },
    flush(done) {
      if (lines === '') return done();
      stdout.once('drain', done);
      write();
    },
  };
}

/** Writes a line whatever LOG_LEVEL is: an operator or a program waits for it. */
export function announce(log: Log, fields: object, message: string): void {
  log.child({}, { level: 'info' }).info(fields, message);
}

/** Resolves when everything is written, or the reader is gone. */
export const flushLog = (log: Log): Promise<unknown> =>
  waitWithTimeout(FLUSH_MS, new Promise<void>((resolve) => log.flush(() => resolve())));

const humanLines: DestinationStream = {
  write(line) {
    const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const details = Object.entries(rest).map(([name, value]) => `${name}=${format(value)}`);
    const cause = err ? `\n${(err as { stack?: string }).stack ?? format(err)}` : '';
    process.stdout.write(`${String(time).slice(11, 19)} ${level} ${msg} ${details.join(' ')}${cause}\n`);
  },
};

/**
 * An error as it may be logged. Drivers attach too much: Postgres adds the failing row, and with it what people wrote.
 * Expected errors get no stack, because they are not defects to find in the code.
 */
export function toLogFields(error: unknown) {
  // The original error behind the wording chosen for the caller.
  let root = error;
  while (root instanceof AppError && root.cause !== undefined) root = root.cause;
  const { name, message, code, stack } = (root ?? {}) as NodeJS.ErrnoException;
  if (isExpected(error)) return { reason: message };
  return { err: { type: name, message, ...(code === undefined ? {} : { code }), stack } };
}

/** `error` is for defects and faults of the installation: things a developer or the operator must fix. */
export function logLevelFor(error: unknown): 'info' | 'warn' | 'error' {
  if (!isExpected(error)) return 'error';
  return error instanceof AppError && error.code === 'account_paced' ? 'info' : 'warn';
}

const format = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

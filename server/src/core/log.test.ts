import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logLevelFor, toLogFields } from './log.js';
import { AppError, unavailable } from './problems.js';

const driverError = (code: string, message = 'no luck') => Object.assign(new Error(message), { code });

describe('the level of a failure', () => {
  for (const [title, error, level] of [
    ['our own pacing', new AppError('account_paced', 'Later.'), 'info'],
    ['an outage of the platform', new AppError('platform_unavailable', 'Later.'), 'warn'],
    ['a failure of the platform', new AppError('platform_failed', 'No.'), 'warn'],
    ['a lost answer', new AppError('platform_timeout', 'Who knows.'), 'warn'],
    ['too many at the same time', unavailable('Later.'), 'warn'],
    ['SQLite, locked by another process', unavailable('Later.', driverError('SQLITE_BUSY')), 'warn'],
    ['SQLite, locked by a reader', driverError('SQLITE_BUSY_SNAPSHOT'), 'warn'],
    ['Postgres, a lost race', driverError('40001'), 'warn'],
    ['Postgres, a query that took too long', unavailable('Later.', driverError('57014')), 'warn'],
    ['Postgres, no free connection', new Error('timeout exceeded when trying to connect'), 'warn'],
    ['a worker that waits for a lock, told as a 504', lost(unavailable('x', driverError('40P01'))), 'warn'],
  ] as const)
    it(`is ${level} without a stack for what is expected now and then: ${title}`, () => {
      assert.equal(logLevelFor(error), level);
      assert.deepEqual(toLogFields(error), { reason: rootOf(error).message });
    });

  for (const [title, error] of [
    ['a defect', new TypeError('undefined is not a function')],
    ['a defect, told as a 500', new AppError('internal_error', 'Sorry.', { cause: new TypeError('no') })],
    ['a defect after the claim, told as a 504', lost(new TypeError('no'))],
    ['a defect, told as a 503', unavailable('Later.', new TypeError('no'))],
    ['a database that is away', unavailable('Later.', driverError('ECONNREFUSED'))],
    ['a database that stops', driverError('57P01')],
    ['a disk that fails', driverError('SQLITE_IOERR_WRITE')],
    ['a disk that is full', new AppError('no_space', 'Full.', { cause: driverError('ENOSPC') })],
    ['a refusal in work that no caller waits for', new AppError('wrong_state', 'No.')],
    ['something that is no error', 'a word'],
    ['nothing at all', undefined],
  ] as const)
    it(`is error for what the operator or a developer must fix: ${title}`, () => {
      assert.equal(logLevelFor(error), 'error');
      const { err } = toLogFields(error);
      if (!(error instanceof Error)) return;
      // The root cause, not the text for the caller.
      assert.deepEqual([err?.message, err?.stack], [rootOf(error).message, rootOf(error).stack]);
    });
});

const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error);

function lost(cause: Error): AppError {
  return new AppError('platform_timeout', 'Ask for the status.', { cause });
}

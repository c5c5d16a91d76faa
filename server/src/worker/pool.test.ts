import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPool, type PoolEvents } from './pool.js';

const QUIET: PoolEvents = { onRoom: () => {}, onError: () => {} };

/** A task that ends when it is told to. */
function task() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

describe('The pool', () => {
  it('runs so many at once and takes no more', async () => {
    const pool = createPool(2, 2, QUIET);
    const [one, two] = [task(), task()];
    assert.ok(pool.start('1', 'a', one.run));
    assert.ok(pool.start('2', 'b', two.run));
    assert.equal(pool.free, 0);
    assert.equal(pool.start('3', 'c', task().run), false);
    one.end();
    two.end();
    await pool.idle();
    assert.equal(pool.free, 2);
  });

  it('leaves room for others when one account has all it may have', async () => {
    const pool = createPool(10, 2, QUIET);
    const tasks = [task(), task(), task()];
    assert.ok(pool.start('1', 'busy', tasks[0]!.run));
    assert.deepEqual(pool.busyAccounts(), []);
    assert.ok(pool.start('2', 'busy', tasks[1]!.run));
    assert.deepEqual(pool.busyAccounts(), ['busy']);
    assert.equal(pool.start('3', 'busy', task().run), false);
    assert.ok(pool.start('4', 'other', tasks[2]!.run));
    for (const { end } of tasks) end();
    await pool.idle();
    assert.deepEqual(pool.busyAccounts(), []);
  });

  it('does not begin what runs already, and begins it again afterwards', async () => {
    const pool = createPool(10, 10, QUIET);
    const first = task();
    assert.ok(pool.start('1', 'a', first.run));
    assert.equal(pool.start('1', 'a', task().run), false);
    first.end();
    await pool.idle();
    assert.ok(pool.start('1', 'a', async () => {}));
    await pool.idle();
  });

  it('says when something has ended, with its place free already', async () => {
    const free: number[] = [];
    const pool = createPool(3, 3, { ...QUIET, onRoom: () => free.push(pool.free) });
    pool.start('1', 'a', async () => {});
    pool.start('2', 'a', async () => {});
    await pool.idle();
    assert.deepEqual(free, [2, 3]);
  });

  it('tells of what failed, and does not ask for more because of it', async () => {
    const told: unknown[] = [];
    const failure = new Error('no luck');
    const pool = createPool(3, 3, { onRoom: () => told.push('room'), onError: (error) => told.push(error) });
    pool.start('1', 'a', () => Promise.reject(failure));
    await pool.idle();
    assert.deepEqual(told, [failure]);
    assert.equal(pool.free, 3);
  });

  it('is idle only when what began meanwhile has ended too', async () => {
    const pool = createPool(3, 3, QUIET);
    const later = task();
    let isLaterOver = false;
    pool.start('1', 'a', async () => {
      pool.start('2', 'a', async () => {
        await later.run();
        isLaterOver = true;
      });
      later.end();
    });
    await pool.idle();
    assert.ok(isLaterOver);
  });
});

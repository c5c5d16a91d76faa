import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPool, orderFairly, type Pool, type PoolEvents, type PoolLimits, type Work } from './pool.js';

const QUIET: PoolEvents = { onSuccess: () => {}, onError: () => {} };
const ROOMY: PoolLimits = { max: 10, perOrganization: 10, perTarget: 10 };

/** Work of an account of an organization: `work('1', 'a.x')` is of account a.x of organization a. */
const work = (id: string, account: string): Work => ({
  id,
  org_id: account.split('.')[0] as string,
  target: account,
});

/** A task that ends when it is told to. */
function task() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

describe('The pool', () => {
  it('runs up to its limit at the same time and takes no more', async () => {
    const pool = createPool({ ...ROOMY, max: 2 }, QUIET);
    const [one, two] = [task(), task()];
    assert.ok(pool.start(work('1', 'a.x'), one.run));
    assert.ok(pool.start(work('2', 'b.x'), two.run));
    assert.equal(pool.free, 0);
    assert.equal(pool.capacityFor('c'), 0);
    assert.equal(pool.start(work('3', 'c.x'), task().run), false);
    one.end();
    two.end();
    await pool.idle();
    assert.equal(pool.free, 2);
  });

  it('leaves capacity for others when one account has reached its limit', async () => {
    const pool = createPool({ ...ROOMY, perTarget: 2 }, QUIET);
    const tasks = [task(), task(), task()];
    assert.ok(pool.start(work('1', 'a.busy'), tasks[0]!.run));
    assert.deepEqual(pool.busyTargets('a'), []);
    assert.ok(pool.start(work('2', 'a.busy'), tasks[1]!.run));
    assert.deepEqual(pool.busyTargets('a'), ['a.busy']);
    assert.deepEqual(pool.busyTargets('b'), []);
    assert.equal(pool.start(work('3', 'a.busy'), task().run), false);
    assert.ok(pool.start(work('4', 'a.other'), tasks[2]!.run));
    for (const { end } of tasks) end();
    await pool.idle();
    assert.deepEqual(pool.busyTargets('a'), []);
  });

  it('leaves capacity for others when one organization has reached its limit', async () => {
    const pool = createPool({ ...ROOMY, perOrganization: 2 }, QUIET);
    const tasks = [task(), task(), task()];
    assert.ok(pool.start(work('1', 'a.x'), tasks[0]!.run));
    assert.ok(pool.start(work('2', 'a.y'), tasks[1]!.run));
    assert.deepEqual([pool.capacityFor('a'), pool.capacityFor('b')], [0, 2]);
    assert.equal(pool.start(work('3', 'a.z'), task().run), false);
    assert.ok(pool.start(work('4', 'b.x'), tasks[2]!.run));
    for (const { end } of tasks) end();
    await pool.idle();
    assert.deepEqual([pool.capacityFor('a'), pool.runningFor('a'), pool.runningFor('a.x')], [2, 0, 0]);
  });

  it('without a limit per organization leaves each further one a share of what is free', async () => {
    const pool = createPool({ max: 16, perTarget: 16 }, QUIET);
    const begun = [...'abcd'].map((org) => {
      let n = 0;
      while (pool.start(work(`${org} ${n}`, `${org}.x`), () => new Promise(() => {}))) n++;
      return n;
    });
    assert.deepEqual(begun, [8, 4, 2, 1]);
  });

  it('does not start work that is already running, and starts it again afterwards', async () => {
    const pool = createPool(ROOMY, QUIET);
    const first = task();
    assert.ok(pool.start(work('1', 'a.x'), first.run));
    assert.ok(pool.has('1'));
    assert.equal(pool.start(work('1', 'a.x'), task().run), false);
    first.end();
    await pool.idle();
    assert.ok(pool.start(work('1', 'a.x'), async () => {}));
    await pool.idle();
  });

  it('reports that a task has ended once its capacity is free', async () => {
    const free: number[] = [];
    const pool = createPool({ ...ROOMY, max: 3 }, { ...QUIET, onSuccess: () => free.push(pool.free) });
    pool.start(work('1', 'a.x'), async () => {});
    pool.start(work('2', 'a.x'), async () => {});
    await pool.idle();
    assert.deepEqual(free, [2, 3]);
  });

  it('reports a failed task, and does not ask for more work because of it', async () => {
    const calls: unknown[] = [];
    const failure = new Error('no luck');
    const pool = createPool(ROOMY, {
      onSuccess: () => calls.push('success'),
      onError: (error) => calls.push(error),
    });
    pool.start(work('1', 'a.x'), () => Promise.reject(failure));
    await pool.idle();
    assert.deepEqual(calls, [failure]);
    assert.equal(pool.free, ROOMY.max);
  });

  it('is idle only when tasks that began meanwhile have ended too', async () => {
    const pool = createPool(ROOMY, QUIET);
    const later = task();
    let isLaterOver = false;
    pool.start(work('1', 'a.x'), async () => {
      pool.start(work('2', 'a.x'), async () => {
        await later.run();
        isLaterOver = true;
      });
      later.end();
    });
    await pool.idle();
    assert.ok(isLaterOver);
  });
});

describe('Capacity', () => {
  /** Starts as much work as there is capacity for and returns its ids in order. */
  function begin(pool: Pool, waiting: Work[]): string[] {
    const begun: string[] = [];
    for (const one of orderFairly(waiting, pool))
      if (pool.start(one, () => new Promise(() => {}))) begun.push(one.id);
    return begun;
  }
  const several = (account: string, n: number) =>
    Array.from({ length: n }, (_, i) => work(`${account} ${i + 1}`, account));

  it('is given to one organization after the other, there to one account after the other, oldest first', () => {
    const waiting = [...several('a.x', 3), ...several('a.y', 2), ...several('b.x', 2), ...several('c.x', 1)];
    assert.deepEqual(begin(createPool(ROOMY, QUIET), waiting), [
      ...['a.x 1', 'b.x 1', 'c.x 1'],
      ...['a.y 1', 'b.x 2'],
      ...['a.x 2', 'a.y 2', 'a.x 3'],
    ]);
  });

  it('goes to the organization that has none yet, however much work the others have waiting', () => {
    const pool = createPool({ max: 5, perOrganization: 4, perTarget: 4 }, QUIET);
    begin(pool, several('a.x', 4));
    assert.deepEqual(begin(pool, [...several('a.y', 9), ...several('b.x', 1)]), ['b.x 1']);
  });

  it('goes to a single organization up to its limit and no further', () => {
    const pool = createPool({ max: 512, perOrganization: 64, perTarget: 4 }, QUIET);
    const accounts = Array.from({ length: 20 }, (_, n) => `a.${n}`);
    const begun = begin(
      pool,
      accounts.flatMap((account) => several(account, 10)),
    );
    assert.equal(begun.length, 64);
    assert.deepEqual(
      accounts.map((account) => pool.runningFor(account)),
      accounts.map((_, n) => (n < 4 ? 4 : 3)),
    );
  });

  it('is left for seven more organizations when one has reached its limit', () => {
    const pool = createPool({ max: 32, perOrganization: 4, perTarget: 2 }, QUIET);
    for (const org of 'abcdefgh')
      assert.equal(begin(pool, [...several(`${org}.x`, 9), ...several(`${org}.y`, 9)]).length, 4);
    assert.equal(pool.free, 0);
  });
});

describe('The pool in a rush', () => {
  it('begins fewer while the process is busy, beside those that hang', async () => {
    let time = 0;
    let isBusy = true;
    const rush = { maxRecentWhenBusy: 2, reserved: 0, isBusy: () => isBusy, isNewcomer: () => false };
    const pool = createPool({ ...ROOMY, rush }, QUIET, () => time);
    const tasks = [task(), task(), task(), task()];
    assert.ok(pool.start(work('1', 'a.x'), tasks[0]!.run));
    time = 3_000;
    assert.ok(pool.start(work('2', 'b.x'), tasks[1]!.run));
    assert.deepEqual([pool.free, pool.capacityFor('c')], [0, 0]);
    assert.equal(pool.start(work('3', 'c.x'), tasks[2]!.run), false);
    time = 5_000;
    assert.equal(pool.free, 1);
    assert.ok(pool.start(work('3', 'c.x'), tasks[2]!.run));
    assert.equal(pool.start(work('4', 'd.x'), tasks[3]!.run), false);
    isBusy = false;
    assert.equal(pool.free, ROOMY.max - 3);
    assert.ok(pool.start(work('4', 'd.x'), tasks[3]!.run));
    for (const { end } of tasks) end();
    await pool.idle();
    assert.equal(pool.free, ROOMY.max);
  });

  it('keeps the reserved capacity for newcomers', () => {
    const newcomers = new Set<string>();
    const rush = {
      maxRecentWhenBusy: 2,
      reserved: 1,
      isBusy: () => false,
      isNewcomer: (orgId: string) => newcomers.has(orgId),
    };
    const pool = createPool({ ...ROOMY, max: 3, rush }, QUIET);
    const begin = (id: string, orgId: string) =>
      pool.start(work(id, `${orgId}.x`), () => new Promise(() => {}));
    assert.deepEqual([begin('1', 'a'), begin('2', 'b'), begin('3', 'c')], [true, true, false]);
    assert.deepEqual([pool.free, pool.capacityFor('c')], [0, 0]);
    newcomers.add('c');
    assert.deepEqual([begin('3', 'd'), begin('3', 'c')], [false, true]);
  });
});

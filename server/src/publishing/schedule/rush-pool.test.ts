import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRushPool } from './rush-pool.js';

const LIMITS = { max: 10, perOrganization: 10, perTarget: 10, whileBusy: 2, reserved: 0 };
const QUIET = { onCapacity: () => {}, onError: () => {} };

const work = (id: string, org_id: string) => ({ id, org_id, target: `${org_id}.x` });

/** A task that ends when it is told to. */
function task() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

describe('The pool of due posts', () => {
  it('begins fewer while the process is busy, beside those that hang', async () => {
    let time = 0;
    let isBusy = true;
    const pool = createRushPool(LIMITS, { isBusy: () => isBusy, isNewcomer: () => false }, QUIET, () => time);
    const tasks = [task(), task(), task(), task()];
    assert.ok(pool.start(work('1', 'a'), tasks[0]!.run));
    time = 3_000;
    assert.ok(pool.start(work('2', 'b'), tasks[1]!.run));
    assert.deepEqual([pool.free, pool.capacityFor('c')], [0, 0]);
    assert.equal(pool.start(work('3', 'c'), tasks[2]!.run), false);
    time = 5_000;
    assert.equal(pool.free, 1);
    assert.ok(pool.start(work('3', 'c'), tasks[2]!.run));
    assert.equal(pool.start(work('4', 'd'), tasks[3]!.run), false);
    isBusy = false;
    assert.equal(pool.free, LIMITS.max - 3);
    assert.ok(pool.start(work('4', 'd'), tasks[3]!.run));
    for (const { end } of tasks) end();
    await pool.idle();
    assert.equal(pool.free, LIMITS.max);
  });

  it('keeps the reserved capacity for newcomers', () => {
    const newcomers = new Set<string>();
    const rush = { isBusy: () => false, isNewcomer: (orgId: string) => newcomers.has(orgId) };
    const pool = createRushPool({ ...LIMITS, max: 3, reserved: 1 }, rush, QUIET);
    const begin = (id: string, orgId: string) => pool.start(work(id, orgId), () => new Promise(() => {}));
    assert.deepEqual([begin('1', 'a'), begin('2', 'b'), begin('3', 'c')], [true, true, false]);
    assert.deepEqual([pool.free, pool.capacityFor('c')], [0, 0]);
    newcomers.add('c');
    assert.deepEqual([begin('3', 'd'), begin('3', 'c')], [false, true]);
  });
});

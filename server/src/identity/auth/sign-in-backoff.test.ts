import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { SignInBackoff } from './sign-in-backoff.js';

describe('the backoff of sign-ins to one account', () => {
  /** How many seconds an attempt waits. */
  async function secondsOf(t: TestContext, backoff: SignInBackoff): Promise<number> {
    let isOver = false;
    const waiting = backoff.waitFor('ada').then(() => {
      isOver = true;
    });
    await setImmediate();
    let seconds = 0;
    for (; !isOver; seconds++) {
      t.mock.timers.tick(1000);
      await setImmediate();
    }
    await waiting;
    return seconds;
  }

  it('slows down with each failure from any address, up to half a minute, and never ends', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const backoff = new SignInBackoff();
    const waits = [];
    for (let i = 0; i < 12; i++) {
      waits.push(await secondsOf(t, backoff));
      backoff.failed('ada', `203.0.113.${i}`);
    }
    assert.deepEqual(waits, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30]);
    backoff.succeeded('ada', '203.0.113.1');
    assert.equal(await secondsOf(t, backoff), 0);
  });

  it('is its own for each account', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const backoff = new SignInBackoff();
    for (let i = 0; i < 9; i++) backoff.failed('ben', '203.0.113.1');
    assert.equal(await secondsOf(t, backoff), 0);
  });

  it('lets ten attempts wait, and refuses more immediately', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const backoff = new SignInBackoff();
    for (let i = 0; i < 6; i++) backoff.failed('ada', '203.0.113.1');
    const waiting = Array.from({ length: 10 }, () => backoff.waitFor('ada'));
    await assert.rejects(backoff.waitFor('ada'), { code: 'rate_limited' });
    t.mock.timers.tick(30_000);
    await Promise.all(waiting);
    const next = backoff.waitFor('ada');
    t.mock.timers.tick(30_000);
    await next;
  });

  it('knows addresses that keep failing', () => {
    const backoff = new SignInBackoff();
    for (let i = 0; i < 4; i++) backoff.failed(`person ${i}`, '203.0.113.1');
    assert.equal(backoff.isFailing('203.0.113.1'), false);
    backoff.failed('person 5', '203.0.113.1');
    assert.equal(backoff.isFailing('203.0.113.1'), true);
    assert.equal(backoff.isFailing('203.0.113.2'), false);
  });
});

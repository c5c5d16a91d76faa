import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { SignInTrust } from '../../core/passwords.js';
import { SignInBackoff } from './sign-in-backoff.js';

const HERE = '203.0.113.1';
const stays = new AbortController().signal;

/** An attempt that either waits or does not. */
function attempt(backoff: SignInBackoff, network: string, account = 'ada', gone = stays) {
  const state = { isOver: false, refusal: undefined as unknown };
  const done = backoff.waitFor(account, network, gone).then(
    () => {
      state.isOver = true;
    },
    (error: unknown) => {
      state.refusal = error;
    },
  );
  return Object.assign(state, { done });
}

function failOften(backoff: SignInBackoff, times: number, network: string, account = 'ada'): void {
  for (let n = 0; n < times; n++) backoff.failed(account, network);
}

describe('the backoff of sign-ins', () => {
  it('an attempt waits twice as long after each failure of its network with the account, up to half a minute', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const backoff = new SignInBackoff();
    const waits = [];
    for (let n = 0; n < 10; n++) {
      const one = attempt(backoff, HERE);
      await setImmediate();
      let seconds = 0;
      for (; !one.isOver; seconds++) {
        t.mock.timers.tick(1000);
        await setImmediate();
      }
      waits.push(seconds);
      backoff.failed('ada', HERE);
    }
    assert.deepEqual(waits, [0, 0, 0, 1, 2, 4, 8, 16, 30, 30]);
  });

  it('a right password costs nothing anywhere else, however many guess at the account and wait', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const backoff = new SignInBackoff();
    const guessers = Array.from({ length: 50 }, (_, n) => `198.51.100.${n}`);
    for (const network of guessers) failOften(backoff, 9, network);
    for (const network of guessers) attempt(backoff, network);
    const owner = attempt(backoff, HERE);
    await owner.done;
    assert.ok(owner.isOver);
  });

  it('a failure with one account costs nothing with another', async () => {
    const backoff = new SignInBackoff();
    failOften(backoff, 9, HERE, 'ben');
    const one = attempt(backoff, HERE, 'ada');
    await one.done;
    assert.ok(one.isOver);
  });

  it('ten attempts of strange networks may wait for one account; those of a familiar one have their own places', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const backoff = new SignInBackoff();
    for (let n = 0; n < 11; n++) failOften(backoff, 4, `198.51.100.${n}`);
    const waiting = Array.from({ length: 10 }, (_, n) => attempt(backoff, `198.51.100.${n}`));
    const eleventh = attempt(backoff, '198.51.100.10');
    await eleventh.done;
    assert.deepEqual((eleventh.refusal as { code: string }).code, 'rate_limited');
    backoff.becomeFamiliar(HERE);
    failOften(backoff, 4, HERE);
    const colleague = attempt(backoff, HERE);
    t.mock.timers.tick(2_000);
    await Promise.all([...waiting, colleague].map(({ done }) => done));
    assert.ok([...waiting, colleague].every(({ isOver }) => isOver));
  });

  it('a closed connection gives its place back, and its password is not checked', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const backoff = new SignInBackoff();
    failOften(backoff, 4, HERE);
    const client = new AbortController();
    const left = Array.from({ length: 10 }, () => attempt(backoff, HERE, 'ada', client.signal));
    client.abort(new Error('left'));
    await Promise.all(left.map(({ done }) => done));
    assert.ok(left.every(({ refusal }) => String(refusal) === 'Error: left'));
    const next = attempt(backoff, HERE);
    t.mock.timers.tick(2_000);
    await next.done;
    assert.ok(next.isOver);
  });

  it('a network has the trust that it earned, and one check at a time has priority', async () => {
    const backoff = new SignInBackoff();
    const trusts: SignInTrust[] = [];
    const note = async (trust: SignInTrust) => {
      trusts.push(trust);
      return true;
    };
    await backoff.check(HERE, note);
    for (let n = 0; n < 5; n++) backoff.failed(`person ${n}`, HERE);
    await backoff.check(HERE, note);
    await backoff.check('203.0.113.2', note);
    backoff.succeeded('ada', HERE);
    await Promise.all([backoff.check(HERE, note), backoff.check(HERE, note)]);
    await backoff.check(HERE, note);
    assert.deepEqual(trusts, ['ordinary', 'failing', 'ordinary', 'familiar', 'ordinary', 'familiar']);
  });
});

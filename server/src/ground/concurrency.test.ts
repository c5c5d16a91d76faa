import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fairly, GaveWay, inTurns, type Shares, sharedCheck } from './concurrency.js';

/** Work that the test ends by hand, in the order in which it began. */
function start(shares: Shares) {
  const share = fairly(shares);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    add: (name: string) =>
      share(name.slice(0, 1), () => {
        begun.push(name);
        return new Promise<void>((end) => ends.push(end));
      }),
    async endOne() {
      ends.shift()?.();
      await nextTurn();
    },
  };
}

function byHand() {
  let resolve = () => {};
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}

const MANY = 100;

describe('Work that keeps the process busy', () => {
  /** How many pieces of so many milliseconds each turn of the event loop had. */
  async function piecesPerTurn(ms: number, pieces: number): Promise<number[]> {
    const run = inTurns(4);
    const perTurn: number[] = [];
    let sinceLast = 0;
    let isDone = false;
    const count = () => {
      perTurn.push(sinceLast);
      sinceLast = 0;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const work = async () => {
      sinceLast++;
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    await Promise.all(Array.from({ length: pieces }, () => run(work)));
    isDone = true;
    await nextTurn();
    return perTurn;
  }

  it('lets everything else be served after a few milliseconds', async () => {
    assert.ok(Math.max(...(await piecesPerTurn(5, 6))) <= 1);
    assert.ok(Math.max(...(await piecesPerTurn(1.5, 12))) <= 3);
  });

  it('shares a turn while it is cheap', async () => {
    const perTurn = await piecesPerTurn(0, 50);
    assert.ok(Math.max(...perTurn) > 1, String(perTurn));
  });

  it('goes on after a piece that failed', async () => {
    const run = inTurns(0);
    await assert.rejects(
      run(() => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await run(async () => 1), 1);
  });
});

describe('Work that is shared fairly', () => {
  it('runs so much at once, and so much of one key', async () => {
    const { begun, add, endOne } = start({ most: 2, perKey: 1, waiting: MANY });
    for (const name of ['a1', 'a2', 'b1', 'c1']) add(name);
    await nextTurn();
    assert.deepEqual(begun, ['a1', 'b1']);
    await endOne();
    assert.deepEqual(begun, ['a1', 'b1', 'a2']);
    await endOne();
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'c1']);
  });

  it('lets a key wait for one piece of work of each other key, however many of those wait', async () => {
    const { begun, add, endOne } = start({ most: 1, perKey: 1, waiting: MANY });
    for (let i = 1; i <= 50; i++) add(`a${i}`);
    for (let i = 1; i <= 50; i++) add(`b${i}`);
    add('c1');
    await nextTurn();
    for (let i = 0; i < 3; i++) await endOne();
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1']);
    for (let i = 0; i < 4; i++) await endOne();
    assert.deepEqual(begun.slice(4), ['a3', 'b2', 'a4', 'b3']);
  });

  it('refuses what would wait behind a full line, and takes it again later', async () => {
    const { begun, add, endOne } = start({ most: 2, perKey: 1, waiting: 2 });
    for (const name of ['a1', 'a2', 'a3']) assert.ok(add(name));
    assert.equal(add('a4'), null);
    assert.ok(add('b1'), 'the line of another key is its own');
    await nextTurn();
    await endOne();
    assert.ok(add('a5'));
    for (let i = 0; i < 4; i++) await endOne();
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3', 'a5']);
  });

  it('goes on after work that fails', async () => {
    const share = fairly({ most: 1, perKey: 1, waiting: MANY });
    const failed = share('a', () => Promise.reject(new Error('no')));
    const next = share('a', async () => 'done');
    await assert.rejects(failed as Promise<unknown>, /no/);
    assert.equal(await next, 'done');
  });

  it('lets work that is bounded elsewhere wait behind a full line', async () => {
    const share = fairly({ most: 1, perKey: 1, waiting: 0 });
    const { promise, resolve } = byHand();
    const first = share('a', () => promise);
    assert.equal(
      share('a', async () => 'refused'),
      null,
    );
    const patient = share('a', async () => 'done', { evenIfFull: true });
    resolve();
    await first;
    assert.equal(await patient, 'done');
  });

  it('forgets what leaves the line, and gives its turn to the next', async () => {
    const share = fairly({ most: 1, perKey: 1, waiting: 2 });
    const { promise, resolve } = byHand();
    const begun: string[] = [];
    const leaving = new AbortController();
    const first = share('a', () => promise);
    const left = share('a', async () => begun.push('left'), { signal: leaving.signal });
    const stayed = share('a', async () => begun.push('stayed'));
    assert.equal(
      share('a', async () => begun.push('refused')),
      null,
    );
    leaving.abort(new Error('gone'));
    await assert.rejects(left as Promise<unknown>, /gone/);
    const late = share('a', async () => begun.push('late'));
    resolve();
    await Promise.all([first, stayed, late]);
    assert.deepEqual(begun, ['stayed', 'late']);
    const tooLate = share('a', async () => begun.push('too late'), { signal: leaving.signal });
    await assert.rejects(tooLate as Promise<unknown>, /gone/);
  });

  it('gives a place in a full line of all to the key that waits with less', async () => {
    const { begun, add, endOne } = start({ most: 1, perKey: 1, waiting: MANY, inAll: 4 });
    const left: string[] = [];
    const wait = (name: string) => {
      const result = add(name);
      result?.catch((error) => {
        assert.ok(error instanceof GaveWay);
        left.push(name);
      });
      return result;
    };
    // One runs, four wait.
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) assert.ok(wait(name));
    assert.equal(wait('a6'), null);
    assert.ok(wait('b1'));
    assert.ok(wait('b2'));
    assert.equal(wait('b3'), null, 'it would wait with more than the other');
    assert.ok(wait('c1'));
    await nextTurn();
    assert.deepEqual(left, ['a5', 'a4', 'a3']);
    for (let i = 0; i < 5; i++) await endOne();
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'b2']);
    for (const name of ['a7', 'a8', 'a9', 'a10', 'a11']) assert.ok(wait(name));
    assert.equal(wait('a12'), null, 'as many wait as before');
  });
});

describe('A check that several callers share', () => {
  const NEVER_MS = 2 ** 31 - 1;

  it('asks one question at a time, and the next one when that is answered', async () => {
    let asked = 0;
    let answer = (_said: string) => {};
    const check = sharedCheck(NEVER_MS, 'late', () => {
      asked++;
      return new Promise<string>((resolve) => {
        answer = resolve;
      });
    });
    const both = [check(), check()];
    assert.equal(asked, 1);
    answer('first');
    assert.deepEqual(await Promise.all(both), ['first', 'first']);
    const next = check();
    assert.equal(asked, 2);
    answer('second');
    assert.equal(await next, 'second');
  });

  it('says at once that it is late while a question stays open, and asks no other', async () => {
    let asked = 0;
    const { promise, resolve } = byHand();
    const check = sharedCheck(1, 'late', () => {
      asked++;
      return promise.then(() => 'answered');
    });
    assert.equal(await check(), 'late');
    assert.equal(await check(), 'late');
    assert.equal(asked, 1);
    resolve();
    await nextTurn();
    assert.equal(await check(), 'answered');
    assert.equal(asked, 2);
  });

  it('forgets a question that failed', async () => {
    let asked = 0;
    const check = sharedCheck(NEVER_MS, 'late', async () => {
      asked++;
      throw new Error('away');
    });
    await assert.rejects(check(), /away/);
    await assert.rejects(check(), /away/);
    assert.equal(asked, 2);
  });
});

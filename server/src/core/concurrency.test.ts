import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  createCpuThrottle,
  createFairQueue,
  createLimiter,
  createSingleFlight,
  type FairQueueLimits,
  singleFlightWithTimeout,
} from './concurrency.js';

/** Work that the test ends by hand, in the order in which it began. */
function start(limits: FairQueueLimits) {
  const share = createFairQueue(limits);
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
      await setImmediate();
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

const BUSY = { code: 'busy' };

describe('Work that keeps the process busy', () => {
  /** How many pieces of `ms` milliseconds each tick of the event loop had. */
  async function piecesPerTick(ms: number, pieces: number): Promise<number[]> {
    const run = createCpuThrottle(4);
    const perTick: number[] = [];
    let sinceLast = 0;
    let isDone = false;
    const count = () => {
      perTick.push(sinceLast);
      sinceLast = 0;
      if (!isDone) void setImmediate().then(count);
    };
    void setImmediate().then(count);
    const work = async () => {
      sinceLast++;
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    await Promise.all(Array.from({ length: pieces }, () => run(work)));
    isDone = true;
    await setImmediate();
    return perTick;
  }

  it('lets everything else be served after a few milliseconds', async () => {
    assert.ok(Math.max(...(await piecesPerTick(5, 6))) <= 1);
    assert.ok(Math.max(...(await piecesPerTick(1.5, 12))) <= 3);
  });

  it('shares a turn while it is cheap', async () => {
    const perTick = await piecesPerTick(0, 50);
    assert.ok(Math.max(...perTick) > 1, String(perTick));
  });

  it('goes on after a piece that failed', async () => {
    const run = createCpuThrottle(0);
    await assert.rejects(
      run(() => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await run(async () => 1), 1);
  });
});

describe('Work that is shared fairly', () => {
  it('runs up to a limit at the same time, and up to another of one key', async () => {
    const { begun, add, endOne } = start({ maxConcurrent: 2, perKey: 1 });
    for (const name of ['a1', 'a2', 'b1', 'c1']) add(name);
    await setImmediate();
    assert.deepEqual(begun, ['a1', 'b1']);
    await endOne();
    assert.deepEqual(begun, ['a1', 'b1', 'a2']);
    await endOne();
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'c1']);
  });

  it('lets a key wait for one piece of work of each other key, however many of those wait', async () => {
    const { begun, add, endOne } = start({ maxConcurrent: 1, perKey: 1 });
    for (let i = 1; i <= 50; i++) add(`a${i}`);
    for (let i = 1; i <= 50; i++) add(`b${i}`);
    add('c1');
    await setImmediate();
    for (let i = 0; i < 3; i++) await endOne();
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1']);
    for (let i = 0; i < 4; i++) await endOne();
    assert.deepEqual(begun.slice(4), ['a3', 'b2', 'a4', 'b3']);
  });

  it('refuses what would wait behind a full queue, and takes it again later', async () => {
    const { begun, add, endOne } = start({ maxConcurrent: 2, perKey: 1, maxQueuedPerKey: 2 });
    for (const name of ['a1', 'a2', 'a3']) add(name);
    await assert.rejects(add('a4'), BUSY);
    // The queue of another key is its own.
    add('b1');
    await setImmediate();
    await endOne();
    add('a5');
    for (let i = 0; i < 4; i++) await endOne();
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'a3', 'a5']);
  });

  it('says why it refuses, and when to try again', async () => {
    const share = createFairQueue({ maxConcurrent: 0, perKey: 1, maxQueuedPerKey: 0, busy: ['Later.', 7] });
    await assert.rejects(
      share('a', async () => 'done'),
      { ...BUSY, message: 'Later.', headers: { 'retry-after': '7' } },
    );
  });

  it('goes on after work that fails', async () => {
    const share = createFairQueue({ maxConcurrent: 1, perKey: 1 });
    const failed = share('a', () => Promise.reject(new Error('no')));
    const next = share('a', async () => 'done');
    await assert.rejects(failed, /no/);
    assert.equal(await next, 'done');
  });

  it('lets work that is bounded elsewhere wait behind a full queue', async () => {
    const share = createFairQueue({ maxConcurrent: 1, perKey: 1, maxQueuedPerKey: 0 });
    const { promise, resolve } = byHand();
    const first = share('a', () => promise);
    await assert.rejects(
      share('a', async () => 'refused'),
      BUSY,
    );
    const patient = share('a', async () => 'done', { ignoreQueueLimit: true });
    resolve();
    await first;
    assert.equal(await patient, 'done');
  });

  it('forgets what leaves the queue, and begins the next', async () => {
    const share = createFairQueue({ maxConcurrent: 1, perKey: 1, maxQueuedPerKey: 2 });
    const { promise, resolve } = byHand();
    const begun: string[] = [];
    const leaving = new AbortController();
    const first = share('a', () => promise);
    const left = share('a', async () => begun.push('left'), { signal: leaving.signal });
    const stayed = share('a', async () => begun.push('stayed'));
    await assert.rejects(
      share('a', async () => begun.push('refused')),
      BUSY,
    );
    leaving.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
    const late = share('a', async () => begun.push('late'));
    resolve();
    await Promise.all([first, stayed, late]);
    assert.deepEqual(begun, ['stayed', 'late']);
    const tooLate = share('a', async () => begun.push('too late'), { signal: leaving.signal });
    await assert.rejects(tooLate, /gone/);
  });

  it('lets the newest of the longest queue give way to a key that waits with less', async () => {
    const { begun, add, endOne } = start({ maxConcurrent: 1, perKey: 1, maxQueued: 4 });
    const refused: string[] = [];
    const wait = (...names: string[]) => {
      for (const name of names)
        add(name).catch((error) => {
          assert.equal(error.code, 'busy');
          refused.push(name);
        });
    };
    // One runs, four wait. The third of the other would wait with more.
    wait('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    wait('b1', 'b2', 'b3', 'c1');
    await setImmediate();
    assert.deepEqual(refused.sort(), ['a3', 'a4', 'a5', 'a6', 'b3']);
    for (let i = 0; i < 5; i++) await endOne();
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'b2']);
    // As many wait as before.
    wait('a7', 'a8', 'a9', 'a10', 'a11', 'a12');
    await setImmediate();
    assert.equal(refused.at(-1), 'a12');
    assert.equal(refused.length, 6);
  });
});

describe('Work that is limited', () => {
  it('starts by rank, and by arrival in a rank; the oldest now and then', async () => {
    const limited = createLimiter(1, { oldestEvery: 3 });
    const begun: string[] = [];
    const add = (name: string, rank?: number) =>
      limited(async () => {
        begun.push(name);
      }, rank);
    await Promise.all([
      add('first'),
      add('later', 2),
      add('last', 2),
      add('soon', 1),
      add('now', 0),
      add('now too', 0),
      add('never yet', 3),
    ]);
    assert.deepEqual(begun, ['first', 'now', 'now too', 'later', 'soon', 'last', 'never yet']);
  });

  it('never has more than its limit, and continues after a failure', async () => {
    const limited = createLimiter(2);
    let [running, max] = [0, 0];
    const results = await Promise.allSettled(
      Array.from({ length: 9 }, (_, n) =>
        limited(async () => {
          max = Math.max(max, ++running);
          await setImmediate();
          running--;
          if (n % 3 === 0) throw new Error('no');
        }),
      ),
    );
    assert.equal(max, 2);
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 3);
  });
});

describe('A call that is shared by key', () => {
  it('runs once for all that ask meanwhile, and again afterwards, also after a failure', async () => {
    const share = createSingleFlight();
    let calls = 0;
    const call = async () => {
      await setImmediate();
      if (++calls === 2) throw new Error('no');
      return calls;
    };
    assert.deepEqual(await Promise.all([share('a', call), share('a', call)]), [1, 1]);
    await assert.rejects(share('a', call), /no/);
    assert.deepEqual(await Promise.all([share('a', call), share('b', async () => 'b')]), [3, 'b']);
  });
});

describe('A check that several callers share', () => {
  const NEVER_MS = 2 ** 31 - 1;

  it('asks one question at a time, and the next one when that is answered', async () => {
    let calls = 0;
    let answer = (_said: string) => {};
    const check = singleFlightWithTimeout(NEVER_MS, 'late', () => {
      calls++;
      return new Promise<string>((resolve) => {
        answer = resolve;
      });
    });
    const both = [check(), check()];
    assert.equal(calls, 1);
    answer('first');
    assert.deepEqual(await Promise.all(both), ['first', 'first']);
    const next = check();
    assert.equal(calls, 2);
    answer('second');
    assert.equal(await next, 'second');
  });

  it('says immediately that it is late while a question stays open, and asks no other', async () => {
    let calls = 0;
    const { promise, resolve } = byHand();
    const check = singleFlightWithTimeout(1, 'late', () => {
      calls++;
      return promise.then(() => 'answered');
    });
    assert.equal(await check(), 'late');
    assert.equal(await check(), 'late');
    assert.equal(calls, 1);
    resolve();
    await setImmediate();
    assert.equal(await check(), 'answered');
    assert.equal(calls, 2);
  });

  it('forgets a question that failed', async () => {
    let calls = 0;
    const check = singleFlightWithTimeout(NEVER_MS, 'late', async () => {
      calls++;
      throw new Error('away');
    });
    await assert.rejects(check(), /away/);
    await assert.rejects(check(), /away/);
    assert.equal(calls, 2);
  });
});

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '../../test/support/runner/until.js';
import { createLog, type Log, toLogFields } from '../core/log.js';
import { type Loop, startLoop } from './loop.js';

const NEVER_MS = 2 ** 31 - 1;
const silent = createLog({ level: 'silent', human: false });

/** A run that the test ends by hand. */
function heldRuns() {
  const open: { end(): void; fail(error: Error): void }[] = [];
  let begun = 0;
  let running = 0;
  let max = 0;
  return {
    run: async () => {
      begun++;
      running++;
      max = Math.max(max, running);
      try {
        await new Promise<void>((resolve, reject) => open.push({ end: resolve, fail: reject }));
      } finally {
        running--;
      }
    },
    begun: () => begun,
    max: () => max,
    async end() {
      open.shift()?.end();
      await settle();
    },
    async fail(error: Error) {
      open.shift()?.fail(error);
      await settle();
    },
  };
}

/** Lets everything happen that needs no timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await setImmediate();
}

describe('A loop', { timeout: 60_000 }, () => {
  it('takes its first run immediately and the next ones by itself', async () => {
    let runs = 0;
    const loop = startLoop({ name: 'test', everyMs: 1, run: async () => void runs++ }, silent);
    assert.equal(runs, 1);
    await until('it has run four times', () => runs >= 4);
    await loop.stop();
  });

  it('that starts later takes its first run after a pause, or when woken', async () => {
    const runs = heldRuns();
    const plan = { name: 'test', everyMs: NEVER_MS, startsLater: true, run: runs.run };
    const loop = startLoop(plan, silent);
    await settle();
    assert.equal(runs.begun(), 0);
    loop.wake();
    await settle();
    assert.equal(runs.begun(), 1);
    await runs.end();
    await loop.stop();
  });

  it('waits between runs until it is woken', async () => {
    const runs = heldRuns();
    const loop = startLoop({ name: 'test', everyMs: NEVER_MS, run: runs.run }, silent);
    await runs.end();
    assert.equal(runs.begun(), 1);
    loop.wake();
    await settle();
    assert.equal(runs.begun(), 2);
    await runs.end();
    await loop.stop();
  });

  it('takes one more run after the running one however often it is woken, never two at the same time', async () => {
    const runs = heldRuns();
    const loop = startLoop({ name: 'test', everyMs: NEVER_MS, run: runs.run }, silent);
    for (let i = 0; i < 10; i++) loop.wake();
    await settle();
    assert.equal(runs.begun(), 1);
    await runs.end();
    assert.equal(runs.begun(), 2);
    await runs.end();
    assert.equal(runs.begun(), 2);
    assert.equal(runs.max(), 1);
    await loop.stop();
  });

  it('stops only when the running run has ended, and takes no other', async () => {
    const runs = heldRuns();
    const loop = startLoop({ name: 'test', everyMs: 1, run: runs.run }, silent);
    let stopped = false;
    const stopping = loop.stop().then(() => {
      stopped = true;
    });
    loop.wake();
    await settle();
    assert.equal(stopped, false);
    await runs.end();
    await stopping;
    assert.equal(runs.begun(), 1);
  });

  it('stops immediately in a pause, also when asked twice, and stays stopped', async () => {
    const runs = heldRuns();
    const loop = startLoop({ name: 'test', everyMs: NEVER_MS, run: runs.run }, silent);
    await runs.end();
    await Promise.all([loop.stop(), loop.stop()]);
    loop.wake();
    await settle();
    assert.equal(runs.begun(), 1);
  });

  it('goes on after a run that failed, logs why and reports it', async () => {
    const logged: unknown[] = [];
    const log = { error: (details: unknown) => logged.push(details) } as unknown as Log;
    const runs = heldRuns();
    let failures = 0;
    const loop = startLoop({ name: 'fragile', everyMs: NEVER_MS, run: runs.run }, log, () => failures++);
    const err = new Error('no luck');
    await runs.fail(err);
    assert.deepEqual(logged, [{ ...toLogFields(err), loop: 'fragile' }]);
    assert.equal(failures, 1);
    loop.wake();
    await settle();
    assert.equal(runs.begun(), 2);
    await runs.end();
    await loop.stop();
  });

  it('goes on after a run that throws before its first await', async () => {
    let runs = 0;
    const run = () => {
      runs++;
      throw new Error('immediately');
    };
    const loop = startLoop({ name: 'test', everyMs: 1, run: run }, silent);
    await until('it has run three times', () => runs >= 3);
    await loop.stop();
  });

  describe('shows whether it is alive', () => {
    /** Moves the steady clock that loops read, without waiting. */
    function steadyClock(t: TestContext) {
      let now = performance.now();
      t.mock.method(performance, 'now', () => now);
      return { advance: (ms: number) => (now += ms) };
    }
    const start = (everyMs: number): { loop: Loop; runs: ReturnType<typeof heldRuns> } => {
      const runs = heldRuns();
      return { runs, loop: startLoop({ name: 'test', everyMs, run: runs.run }, silent) };
    };

    it('is silent when a run hangs, and fresh again when it ends', async (t) => {
      const clock = steadyClock(t);
      const { loop, runs } = start(60_000);
      assert.equal(loop.isFresh(), true);
      clock.advance(170_000);
      assert.equal(loop.isFresh(), true, 'three runs were not missed yet');
      clock.advance(20_000);
      assert.equal(loop.isFresh(), false);
      await runs.end();
      assert.equal(loop.isFresh(), true);
      await loop.stop();
    });

    it('tolerates a short silence of a quick loop: a busy machine is not a dead one', async (t) => {
      const clock = steadyClock(t);
      const { loop, runs } = start(100);
      clock.advance(10_000);
      assert.equal(loop.isFresh(), true);
      clock.advance(10_000);
      assert.equal(loop.isFresh(), false);
      const stopping = loop.stop();
      await runs.end();
      await stopping;
    });

    it('counts a run that failed as no sign of life', async (t) => {
      const clock = steadyClock(t);
      const { loop, runs } = start(60_000);
      clock.advance(200_000);
      await runs.fail(new Error('the database is away'));
      assert.equal(loop.isFresh(), false);
      await loop.stop();
    });
  });
});

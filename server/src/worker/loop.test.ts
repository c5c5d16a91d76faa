import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog, faultOf, type Log } from '../ground/log.js';
import { type Loop, startLoop } from './loop.js';

const NEVER_MS = 2 ** 31 - 1;
const silent = createLog({ level: 'silent', human: false });

/** A turn that the test ends by hand. */
function heldTurns() {
  const open: { end(): void; fail(error: Error): void }[] = [];
  let begun = 0;
  let running = 0;
  let most = 0;
  return {
    turn: async () => {
      begun++;
      running++;
      most = Math.max(most, running);
      try {
        await new Promise<void>((resolve, reject) => open.push({ end: resolve, fail: reject }));
      } finally {
        running--;
      }
    },
    begun: () => begun,
    most: () => most,
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
  for (let i = 0; i < 5; i++) await nextTurn();
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await nextTurn();
}

describe('A loop', { timeout: 60_000 }, () => {
  it('takes its first turn at once and the next ones by itself', async () => {
    let turns = 0;
    const loop = startLoop({ name: 'test', everyMs: 1, turn: async () => void turns++ }, silent);
    assert.equal(turns, 1);
    await until(() => turns >= 4);
    await loop.stop();
  });

  it('that starts later takes its first turn after a pause, or when poked', async () => {
    const turns = heldTurns();
    const plan = { name: 'test', everyMs: NEVER_MS, startsLater: true, turn: turns.turn };
    const loop = startLoop(plan, silent);
    await settle();
    assert.equal(turns.begun(), 0);
    loop.poke();
    await settle();
    assert.equal(turns.begun(), 1);
    await turns.end();
    await loop.stop();
  });

  it('waits between turns until it is poked', async () => {
    const turns = heldTurns();
    const loop = startLoop({ name: 'test', everyMs: NEVER_MS, turn: turns.turn }, silent);
    await turns.end();
    assert.equal(turns.begun(), 1);
    loop.poke();
    await settle();
    assert.equal(turns.begun(), 2);
    await turns.end();
    await loop.stop();
  });

  it('takes one more turn after the running one for any number of pokes, never two at once', async () => {
    const turns = heldTurns();
    const loop = startLoop({ name: 'test', everyMs: NEVER_MS, turn: turns.turn }, silent);
    for (let i = 0; i < 10; i++) loop.poke();
    await settle();
    assert.equal(turns.begun(), 1);
    await turns.end();
    assert.equal(turns.begun(), 2);
    await turns.end();
    assert.equal(turns.begun(), 2);
    assert.equal(turns.most(), 1);
    await loop.stop();
  });

  it('stops only when the running turn has ended, and takes no other', async () => {
    const turns = heldTurns();
    const loop = startLoop({ name: 'test', everyMs: 1, turn: turns.turn }, silent);
    let stopped = false;
    const stopping = loop.stop().then(() => {
      stopped = true;
    });
    loop.poke();
    await settle();
    assert.equal(stopped, false);
    await turns.end();
    await stopping;
    assert.equal(turns.begun(), 1);
  });

  it('stops at once in a pause, also when asked twice, and stays stopped', async () => {
    const turns = heldTurns();
    const loop = startLoop({ name: 'test', everyMs: NEVER_MS, turn: turns.turn }, silent);
    await turns.end();
    await Promise.all([loop.stop(), loop.stop()]);
    loop.poke();
    await settle();
    assert.equal(turns.begun(), 1);
  });

  it('goes on after a turn that failed, and logs why', async () => {
    const logged: unknown[] = [];
    const log = { error: (details: unknown) => logged.push(details) } as unknown as Log;
    const turns = heldTurns();
    const loop = startLoop({ name: 'fragile', everyMs: NEVER_MS, turn: turns.turn }, log);
    const err = new Error('no luck');
    await turns.fail(err);
    assert.deepEqual(logged, [{ ...faultOf(err), loop: 'fragile' }]);
    loop.poke();
    await settle();
    assert.equal(turns.begun(), 2);
    await turns.end();
    await loop.stop();
  });

  it('goes on after a turn that throws before its first await', async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      throw new Error('at once');
    };
    const loop = startLoop({ name: 'test', everyMs: 1, turn }, silent);
    await until(() => turns >= 3);
    await loop.stop();
  });

  describe('shows whether it is alive', () => {
    /** Moves the steady clock that loops read, without waiting. */
    function steadyClock(t: TestContext) {
      let now = performance.now();
      t.mock.method(performance, 'now', () => now);
      return { advance: (ms: number) => (now += ms) };
    }
    const start = (everyMs: number): { loop: Loop; turns: ReturnType<typeof heldTurns> } => {
      const turns = heldTurns();
      return { turns, loop: startLoop({ name: 'test', everyMs, turn: turns.turn }, silent) };
    };

    it('is silent when a turn hangs, and fresh again when it ends', async (t) => {
      const clock = steadyClock(t);
      const { loop, turns } = start(60_000);
      assert.equal(loop.isFresh(), true);
      clock.advance(170_000);
      assert.equal(loop.isFresh(), true, 'three turns were not missed yet');
      clock.advance(20_000);
      assert.equal(loop.isFresh(), false);
      await turns.end();
      assert.equal(loop.isFresh(), true);
      await loop.stop();
    });

    it('forgives a quick loop a short silence: a busy machine is no dead one', async (t) => {
      const clock = steadyClock(t);
      const { loop, turns } = start(100);
      clock.advance(10_000);
      assert.equal(loop.isFresh(), true);
      clock.advance(10_000);
      assert.equal(loop.isFresh(), false);
      const stopping = loop.stop();
      await turns.end();
      await stopping;
    });

    it('counts a turn that failed as no sign of life', async (t) => {
      const clock = steadyClock(t);
      const { loop, turns } = start(60_000);
      clock.advance(200_000);
      await turns.fail(new Error('the database is away'));
      assert.equal(loop.isFresh(), false);
      await loop.stop();
    });
  });
});

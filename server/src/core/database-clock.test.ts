import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { type RunningClock, startDatabaseClock } from './database-clock.js';

/** The database's time when the steady clock is at zero. */
const NOON = Date.UTC(2026, 10, 16, 12);

interface Question {
  /** How long the question and the answer are in transit. */
  there?: number;
  back?: number;
  fails?: boolean;
}

describe("the database's time", () => {
  let steady = 0;
  /** By how much the operator has set the database's clock. */
  let wasSetBy = 0;
  /** What happens to the next questions; the last entry applies to all further ones. */
  let script: Question[] = [];
  let askedAt: number[] = [];
  let open = 0;
  let mostOpen = 0;
  let clock: RunningClock;
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });

  const trueNow = () => NOON + steady + wasSetBy;

  async function ask(): Promise<number> {
    askedAt.push(steady);
    const { there = 0, back = 0, fails } = (script.length > 1 ? script.shift() : script[0]) ?? {};
    open++;
    mostOpen = Math.max(mostOpen, open);
    steady += there;
    const time = Math.floor(trueNow());
    steady += back;
    await setImmediate();
    open--;
    if (fails) throw new Error('the database is away');
    return time;
  }

  async function start(...given: Question[]): Promise<void> {
    script = given;
    clock = await startDatabaseClock(ask, log, () => steady);
  }

  /** Advances the steady clock and the timers. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      const step = Math.min(left, 1_000);
      steady += step;
      mock.timers.tick(step);
      for (let i = 0; i < 3; i++) await setImmediate();
    }
  }

  const error = () => clock.now() - trueNow();

  beforeEach(() => {
    [steady, wasSetBy, askedAt, open, mostOpen] = [0.4, 0, [], 0, 0];
    lines.length = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
  });

  afterEach(() => {
    clock?.stop();
    mock.timers.reset();
  });

  for (const [title, question] of [
    ['its answer', { back: 14_000 }],
    ['the question', { there: 14_000 }],
    ['either', { there: 7_000, back: 7_000 }],
  ] as const)
    it(`is never ahead when ${title} is delayed for 14 s`, async () => {
      await start(question);
      for (let i = 0; i < 40; i++) {
        assert.ok(error() <= 0, `${error()} ms early`);
        assert.ok(error() > -14_002, `${-error()} ms late`);
        await pass(10_000);
      }
    });

  it('advances by the steady clock, and is exact to within the round trip', async () => {
    await start({ there: 2, back: 3 });
    await pass(30_000);
    assert.ok(error() <= 0 && error() >= -5, `${error()}`);
  });

  it('follows the fastest answer of the last minutes, whatever slower ones say later', async () => {
    await start({ back: 1 }, { back: 9_000 });
    // Each further answer takes nine seconds more.
    await pass(25_000);
    assert.ok(askedAt.length > 2);
    assert.ok(error() <= 0 && error() >= -2, `${error()}`);
  });

  it('is noticed within a second after the host was paused, whose monotonic clock stood still', async () => {
    await start({ there: 1, back: 1 });
    for (const pausedMs of [1_500, 60_000, 8 * 3_600_000]) {
      await pass(10_000);
      wasSetBy += pausedMs;
      await pass(1_000);
      assert.ok(error() <= 0 && error() >= -3, `${-error()} ms late after a pause of ${pausedMs} ms`);
    }
  });

  it('is followed immediately when it was set back, because older answers are then wrong', async () => {
    await start({ back: 1 });
    wasSetBy = -3_600_000;
    await pass(1_000);
    assert.ok(error() <= 0 && error() >= -2, `${error()}`);
  });

  it('is followed immediately when it was set ahead', async () => {
    await start({ back: 1 });
    wasSetBy = 3_600_000;
    await pass(1_000);
    assert.ok(error() <= 0 && error() >= -2, `${error()}`);
  });

  it('advances when a read fails, which is logged and retried', async () => {
    await start({ back: 1 }, { fails: true });
    await pass(150_000);
    assert.ok(error() <= 0 && error() >= -2, `${error()}`);
    assert.match(lines.join(''), /"level":40.*the clock could not read the database time/);
    assert.equal(lines.length, 3, 'once a minute');
    script = [{ back: 1 }];
    wasSetBy = 5_000;
    await pass(1_000);
    assert.ok(error() <= 0 && error() >= -2, `${error()}`);
  });

  it('is waited for at the start when the first read fails', async () => {
    script = [{ fails: true }, { fails: true }, { back: 1 }];
    let isStarted = false;
    const starting = startDatabaseClock(ask, log, () => steady).then((started) => {
      clock = started;
      isStarted = true;
    });
    starting.catch(() => {});
    await pass(1_000);
    assert.ok(!isStarted);
    await pass(3_000);
    await starting;
    assert.ok(error() <= 0 && error() >= -2, `${error()}`);
    assert.equal(lines.length, 2);
  });

  it('is not waited for longer than a minute: then the start fails with the reason', async () => {
    script = [{ fails: true }];
    const starting = assert.rejects(
      startDatabaseClock(ask, log, () => steady),
      /the database is away/,
    );
    await pass(62_000);
    await starting;
    const tries = askedAt.length;
    await pass(10_000);
    assert.equal(askedAt.length, tries);
  });

  it('is read by one query at a time, however long it takes', async () => {
    await start({ back: 500 });
    let answer = () => {};
    const slow = async () => {
      askedAt.push(steady);
      open++;
      mostOpen = Math.max(mostOpen, open);
      const time = trueNow();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      open--;
      return time;
    };
    clock.stop();
    const starting = startDatabaseClock(slow, log, () => steady);
    await pass(90_000);
    answer();
    clock = await starting;
    await pass(90_000);
    answer();
    await pass(1_000);
    assert.equal(mostOpen, 1);
    assert.ok(error() <= 0, `${error()} ms early`);
  });

  it('is no longer read once the clock is stopped, even after an answer in transit', async () => {
    await start({ back: 500 });
    clock.stop();
    await pass(120_000);
    assert.equal(askedAt.length, 1);
  });
});

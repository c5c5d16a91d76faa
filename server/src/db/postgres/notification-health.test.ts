import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../../test/runner/until.js';
import type { Log } from '../../core/log.js';
import { ChangeListeners } from '../changes.js';
import { createNotificationHealth } from './notification-health.js';

const NEVER_MS = 2 ** 31 - 1;

describe('A process that listens to others', { timeout: 60_000 }, () => {
  function start(t: TestContext, heardWithinMs: number) {
    const logged: string[] = [];
    const note = (text: string) => logged.push(text);
    const audience = new ChangeListeners();
    let gaps = 0;
    audience.add({ changed: () => {}, missed: () => void gaps++ });
    const log = { warn: note, info: note } as unknown as Log;
    const hearing = createNotificationHealth(log, audience, { heardWithinMs, pollEveryMs: 1 });
    t.after(() => hearing.stop());
    return { hearing, logged, gaps: () => gaps };
  }

  it('does not poll once it has heard its own notification', async (t) => {
    const { hearing, logged, gaps } = start(t, NEVER_MS);
    hearing.suspect();
    assert.deepEqual([hearing.isHealthy(), hearing.isPolling()], [false, false]);
    hearing.confirm();
    assert.deepEqual([hearing.isHealthy(), hearing.isPolling()], [true, false]);
    assert.deepEqual([logged, gaps()], [[], 0]);
  });

  it('polls if it hears nothing in time, again and again, says what to do, and says so once', async (t) => {
    const { hearing, logged, gaps } = start(t, 1);
    hearing.suspect();
    await until('it has told of five gaps', () => gaps() >= 5);
    hearing.suspect();
    await until('it has told of ten gaps', () => gaps() >= 10);
    assert.equal(hearing.isPolling(), true);
    assert.equal(logged.length, 1);
    assert.match(String(logged[0]), /DATABASE_LISTEN_URL/);
  });

  it('stops polling when it hears again, and reads once more what it may have missed', async (t) => {
    const { hearing, logged, gaps } = start(t, 1);
    hearing.suspect();
    await until('it polls', () => hearing.isPolling());
    const before = gaps();
    hearing.confirm();
    assert.deepEqual([hearing.isHealthy(), hearing.isPolling(), gaps()], [true, false, before + 1]);
    assert.match(String(logged.at(-1)), /again/);
  });
});

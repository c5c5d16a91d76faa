import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../../test/support/runner/until.js';
import type { Log } from '../../core/log.js';
import { ChangeListeners } from '../changes.js';
import { createNotificationHealth } from './notification-health.js';

const NEVER_MS = 2 ** 31 - 1;

describe('A process that listens to others', { timeout: 60_000 }, () => {
  function start(t: TestContext, heardWithinMs: number) {
    const logged: string[] = [];
    const note = (text: string) => logged.push(text);
    const listeners = new ChangeListeners();
    let gaps = 0;
    listeners.add({ changed: () => {}, missed: () => void gaps++ });
    const log = { warn: note, info: note } as unknown as Log;
    const health = createNotificationHealth(log, listeners, { heardWithinMs, pollEveryMs: 1 });
    t.after(() => health.stop());
    return { health, logged, gaps: () => gaps };
  }

  it('does not poll once it has heard its own notification', async (t) => {
    const { health, logged, gaps } = start(t, NEVER_MS);
    health.suspect();
    assert.deepEqual([health.isHealthy(), health.isPolling()], [false, false]);
    health.confirm();
    assert.deepEqual([health.isHealthy(), health.isPolling()], [true, false]);
    assert.deepEqual([logged, gaps()], [[], 0]);
  });

  it('polls if it hears nothing in time, again and again, says what to do, and says so once', async (t) => {
    const { health, logged, gaps } = start(t, 1);
    health.suspect();
    await until('it has told of five gaps', () => gaps() >= 5);
    health.suspect();
    await until('it has told of ten gaps', () => gaps() >= 10);
    assert.equal(health.isPolling(), true);
    assert.equal(logged.length, 1);
    assert.match(String(logged[0]), /DATABASE_LISTEN_URL/);
  });

  it('stops polling when it hears again, and reads once more what it may have missed', async (t) => {
    const { health, logged, gaps } = start(t, 1);
    health.suspect();
    await until('it polls', () => health.isPolling());
    const before = gaps();
    health.confirm();
    assert.deepEqual([health.isHealthy(), health.isPolling(), gaps()], [true, false, before + 1]);
    assert.match(String(logged.at(-1)), /again/);
  });
});

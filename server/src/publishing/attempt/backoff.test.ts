import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_RETRIES, pollDelay, retryDelay } from './backoff.js';

describe('The pause before a retry', () => {
  it('is doubled each time, and there are five of them', () => {
    const pauses = Array.from({ length: MAX_RETRIES }, (_, i) => retryDelay(i + 1, 30_000, 0));
    assert.deepEqual(pauses, [30_000, 60_000, 120_000, 240_000, 480_000]);
  });

  it('is up to a fifth longer at random, never shorter', () => {
    assert.equal(retryDelay(1, 1_000, 0.5), 1_100);
    for (const random of [0, 0.1, 0.9, 0.999999]) {
      const pause = retryDelay(3, 1_000, random);
      assert.ok(pause >= 4_000 && pause <= 4_800, String(pause));
    }
  });

  it('is at least what the platform asks for', () => {
    assert.equal(retryDelay(1, 1_000, 0, 60_000), 60_000);
    assert.equal(retryDelay(5, 30_000, 0, 60_000), 480_000);
  });

  it('may be zero', () => {
    assert.equal(retryDelay(5, 0, 0.9), 0);
  });
});

describe('The pause before the next poll', () => {
  it('is short at first, then grows to at most ten minutes', () => {
    const pauses = Array.from({ length: 100 }, (_, checks) => pollDelay(checks, 2_000));
    assert.deepEqual(pauses.slice(0, 8), [2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 3_000, 4_500]);
    for (const [i, pause] of pauses.entries()) assert.ok(i === 0 || pause >= (pauses[i - 1] as number));
    assert.equal(pauses.at(-1), 600_000);
  });

  it('allows at least a hundred polls in the first 24 hours', () => {
    let spent = 0;
    let checks = 0;
    while (spent < 86_400_000) spent += pollDelay(checks++, 2_000);
    assert.ok(checks > 100, String(checks));
  });

  it('is longer if the platform or the configuration asks for that', () => {
    assert.equal(pollDelay(0, 2_000, 60_000), 60_000);
    assert.equal(pollDelay(50, 3_600_000), 3_600_000);
    assert.equal(pollDelay(50, 2_000, 900_000), 900_000);
  });
});

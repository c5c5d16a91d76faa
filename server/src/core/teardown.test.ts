import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTeardown } from './teardown.js';

describe('A teardown', () => {
  it('runs in reverse order, waiting for each step, and only once', async () => {
    const teardown = createTeardown();
    const done: string[] = [];
    teardown.add(async () => void done.push('database'));
    teardown.add(async () => {
      await Promise.resolve();
      done.push('server');
    });
    assert.equal(teardown.hasBegun, false);
    const running = teardown.run();
    assert.equal(teardown.hasBegun, true);
    await Promise.all([running, teardown.run()]);
    assert.deepEqual(done, ['server', 'database']);
  });

  it('tries every step, and fails with the first error', async () => {
    const teardown = createTeardown();
    const done: string[] = [];
    teardown.add(() => done.push('last'));
    teardown.add(() => {
      throw new Error('second');
    });
    teardown.add(async () => {
      throw new Error('first');
    });
    await assert.rejects(teardown.run(), /first/);
    assert.deepEqual(done, ['last']);
  });
});

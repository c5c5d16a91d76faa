import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createBackground } from './background.js';

describe('work in the background', () => {
  it('is asked to end when the process does, and waited for', async () => {
    const background = createBackground();
    const steps: string[] = [];
    const work = background.start(async (ending) => {
      await new Promise((resolve) => ending.addEventListener('abort', resolve));
      steps.push('asked to end');
      await setImmediate();
      steps.push('done');
      return 'a result';
    });
    await background.end();
    assert.deepEqual(steps, ['asked to end', 'done']);
    assert.equal(await work, 'a result');
  });

  it('that never ends is not waited for longer than a stop may take', async () => {
    const background = createBackground();
    void background.start(() => new Promise(() => {}));
    await background.end();
  });

  it('that has ended, or begins when the process ends, does not delay the end', async () => {
    const background = createBackground();
    await background.start(async () => {});
    await background.end();
    assert.equal(await background.start(async (ending) => ending.aborted), true);
  });
});

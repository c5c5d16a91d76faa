import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createQueues } from '../app/queues.js';
import { withDeadline } from './deadline.js';

describe('A request whose slide waits to be converted', () => {
  it('leaves the queue with 503 before its connection ends', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { convertSlide } = createQueues({ longReads: 2, covers: 2 });
    let end = () => {};
    const begun: string[] = [];
    const convert = (name: string, work: () => Promise<void>) =>
      withDeadline((signal) => {
        const run = () => {
          begun.push(name);
          return work();
        };
        return convertSlide('org', run, { signal });
      });
    const first = convert('first', () => new Promise<void>((resolve) => (end = resolve)));
    t.mock.timers.tick(50_000);
    const second = convert('second', async () => {});
    const third = convert('third', async () => {});
    second.catch(() => {});
    // It cannot be ended, and goes on; its request is answered.
    t.mock.timers.tick(50_000);
    await assert.rejects(first, { code: 'busy', status: 503 });
    t.mock.timers.tick(49_999);
    end();
    await Promise.all([second, third]);
    let endAnother = () => {};
    const fourth = convert('fourth', () => new Promise<void>((resolve) => (endAnother = resolve)));
    const fifth = convert('fifth', async () => {});
    fourth.catch(() => {});
    t.mock.timers.tick(100_000);
    await assert.rejects(fifth, { code: 'busy', status: 503 });
    endAnother();
    await setImmediate();
    assert.deepEqual(begun, ['first', 'second', 'third', 'fourth']);
  });
});

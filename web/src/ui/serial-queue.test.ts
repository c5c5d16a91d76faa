import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSerialQueue } from './serial-queue.js';

describe('tasks one after another', () => {
  it('end in the order they were given, also after one that fails', async () => {
    const enqueue = createSerialQueue();
    const done: string[] = [];
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = enqueue(() => gate.then(() => void done.push('slow')));
    const failing = enqueue(() => Promise.reject(new Error('No')));
    const quick = enqueue(async () => void done.push('quick'));
    assert.deepEqual(done, []);
    open();
    await assert.rejects(failing);
    await Promise.all([slow, quick]);
    assert.deepEqual(done, ['slow', 'quick']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTtlCache } from './ttl-cache.js';

describe('A cached lookup of a secret', () => {
  it('expires within a second, so that changes by other processes are noticed', async (t) => {
    let steady = 5_000;
    t.mock.method(performance, 'now', () => steady);
    let behind: string | null = 'an editor';
    const memory = createTtlCache(async () => behind);
    assert.equal(await memory.find('hash'), 'an editor');
    behind = 'a viewer';
    steady += 999;
    assert.equal(await memory.find('hash'), 'a viewer');
    behind = null;
    steady += 999;
    assert.equal(await memory.find('hash'), null);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTtlCache } from './ttl-cache.js';

describe('What is remembered of a secret', () => {
  it('is looked up again within a second, so that other processes notice what has changed', async (t) => {
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

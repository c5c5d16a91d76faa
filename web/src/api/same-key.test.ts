import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withSameKey } from './same-key.js';

const failing = (status: number, code = '') => Object.assign(new Error('No'), { status, problem: { code } });

describe('the key of a request', () => {
  /** Sends, and returns the keys that were used. */
  async function keysOf(purpose: string, ...sent: [body: string, failure?: Error][]): Promise<string[]> {
    const keys: string[] = [];
    for (const [body, failure] of sent)
      await withSameKey(purpose, { name: body }, async (key) => {
        keys.push(key);
        if (failure) throw failure;
      }).catch((error) => assert.equal(error, failure));
    return keys;
  }

  it('stays the same while no response has come', async () => {
    const lost = failing(0, 'unreachable');
    const [first, ...others] = await keysOf('lost', ['a', lost], ['a', failing(503)], ['a']);
    assert.deepEqual(others, [first, first]);
    const [next] = await keysOf('lost', ['a']);
    assert.notEqual(next, first);
  });

  it('stays the same while the first request still runs', async () => {
    const [first, second] = await keysOf('running', ['a', failing(409, 'idempotency_key_in_use')], ['a']);
    assert.equal(second, first);
  });

  it('is another one after a refusal, for another request, and for another purpose', async () => {
    const lost = failing(0);
    const keys = [
      ...(await keysOf('one', ['a', failing(422)], ['a', lost], ['b', lost], ['a'])),
      ...(await keysOf('two', ['a'])),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });
});

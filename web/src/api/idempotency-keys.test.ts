import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createIdempotencyKeys, type KeysOfMany, withIdempotencyKey } from './idempotency-keys.js';

const failing = (status: number, code = '') => Object.assign(new Error('No'), { status, problem: { code } });

describe('the key of a request', () => {
  /** Sends, and returns the keys that were used. */
  async function keysOf(purpose: string, ...sent: [body: string, failure?: Error][]): Promise<string[]> {
    const keys: string[] = [];
    for (const [body, failure] of sent)
      await withIdempotencyKey(purpose, { name: body }, async (key) => {
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

type Body = { action: 'shift'; days: number; ids: string[] };
const shift = (days: number, ids = ['a', 'b']): Body => ({ action: 'shift', days, ids });

describe('the key of a request for many posts', () => {
  let keys: KeysOfMany<Body>;
  beforeEach(() => {
    let made = 0;
    keys = createIdempotencyKeys(() => `key ${++made}`);
  });

  it('stays the same until the request is answered', () => {
    assert.deepEqual(
      [keys.keyFor(shift(1)), keys.keyFor(shift(1)), keys.keyFor(shift(2))],
      ['key 1', 'key 1', 'key 2'],
    );
    keys.succeeded(shift(1));
    assert.equal(keys.keyFor(shift(1)), 'key 3');
    keys.forget(shift(1));
    assert.equal(keys.keyFor(shift(1)), 'key 4');
  });

  it('is a new one once another request has changed one of the posts', () => {
    keys.keyFor(shift(1));
    keys.keyFor(shift(-1, ['b']));
    keys.succeeded(shift(-1, ['b']));
    assert.equal(keys.keyFor(shift(1)), 'key 3');
  });

  it('stays when other posts were changed', () => {
    keys.keyFor(shift(1));
    keys.succeeded(shift(1, ['c']));
    assert.equal(keys.keyFor(shift(1)), 'key 1');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fairStarts, SLIDES, startFairly } from './fair-starts.js';

describe('Turns of the process', () => {
  function start() {
    let time = 1_000_000;
    const begun: string[] = [];
    const take = fairStarts(() => time);
    return {
      begun,
      add: (...names: string[]) => {
        for (const name of names) take(name.slice(0, 1), () => begun.push(name));
      },
      wait: (ms: number) => {
        time += ms;
      },
    };
  }

  it('begin together what has arrived: all requests of an organization that is alone', async () => {
    const { begun, add } = start();
    add('a1', 'a2', 'a3');
    assert.deepEqual(begun, []);
    await nextTurn();
    assert.deepEqual(begun, ['a1', 'a2', 'a3']);
  });

  it('are shared while another one is there: one request of each begins', async () => {
    const { begun, add } = start();
    add('b1', 'a1', 'a2', 'a3', 'c1');
    await nextTurn();
    assert.deepEqual(begun, ['b1', 'a1', 'c1']);
    // What comes later stays behind what waits.
    add('a4', 'b2');
    await nextTurn();
    assert.deepEqual(begun.slice(3), ['a2', 'b2']);
    await nextTurn();
    await nextTurn();
    assert.deepEqual(begun.slice(5), ['a3', 'a4']);
  });

  it('are not shared any more once the other one has gone', async () => {
    const { begun, add, wait } = start();
    add('b1', 'a1', 'a2', 'a3');
    for (const _ of [1, 2, 3]) await nextTurn();
    assert.deepEqual(begun, ['b1', 'a1', 'a2', 'a3']);
    wait(2_000);
    add('a4', 'a5', 'a6', 'a7');
    await nextTurn();
    assert.equal(begun.length, 8);
  });

  it('go on with what waits, and with what arrives while others begin', async () => {
    const begun: string[] = [];
    const take = fairStarts(() => 0);
    take('a', () => {
      begun.push('first');
      take('a', () => begun.push('second'));
    });
    await nextTurn();
    assert.deepEqual(begun, ['first']);
    await nextTurn();
    assert.deepEqual(begun, ['first', 'second']);
  });

  it('begin at most 64 requests of an organization', async () => {
    const { begun, add } = start();
    add(...Array.from({ length: 100 }, (_, n) => `a${n}`));
    await nextTurn();
    assert.equal(begun.length, 64);
    await nextTurn();
    assert.equal(begun.length, 100);
  });

  it('begin slides before all others, a few in each turn', async () => {
    const begun: string[] = [];
    const take = fairStarts(() => 0);
    for (const key of ['a', 'b', 'b']) take(key, () => begun.push(key));
    for (let n = 1; n <= 20; n++) take(SLIDES, () => begun.push(`slide ${n}`));
    await nextTurn();
    assert.deepEqual(begun.slice(0, 2), ['slide 1', 'slide 2']);
    assert.deepEqual(begun.slice(16), ['a', 'b']);
    await nextTurn();
    assert.deepEqual(begun.slice(18), ['slide 17', 'slide 18', 'slide 19', 'slide 20', 'b']);
  });

  it('begin no request whose client has gone', async () => {
    const begin = startFairly(() => 'a');
    const begun: string[] = [];
    const raw = { destroyed: false };
    const take = (name: string, reply: { raw: { destroyed: boolean } }) =>
      begin({ routeOptions: {} } as FastifyRequest, reply as FastifyReply, () => begun.push(name));
    take('gone', { raw });
    take('here', { raw: { destroyed: false } });
    raw.destroyed = true;
    await nextTurn();
    assert.deepEqual(begun, ['here']);
  });
});

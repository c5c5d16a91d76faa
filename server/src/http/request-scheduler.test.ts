import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRequestScheduler, fairSchedulingHook } from './request-scheduler.js';

describe('Requests that arrive together', () => {
  function start() {
    let time = 1_000_000;
    const begun: string[] = [];
    const take = createRequestScheduler(() => time);
    return {
      begun,
      add: (...names: string[]) => {
        for (const name of names) take({ key: name.slice(0, 1) }, () => begun.push(name));
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
    await setImmediate();
    assert.deepEqual(begun, ['a1', 'a2', 'a3']);
  });

  it('are shared while another one is there: one request of each begins', async () => {
    const { begun, add } = start();
    add('b1', 'a1', 'a2', 'a3', 'c1');
    await setImmediate();
    assert.deepEqual(begun, ['b1', 'a1', 'c1']);
    // What comes later stays behind what waits.
    add('a4', 'b2');
    await setImmediate();
    assert.deepEqual(begun.slice(3), ['a2', 'b2']);
    await setImmediate();
    await setImmediate();
    assert.deepEqual(begun.slice(5), ['a3', 'a4']);
  });

  it('are not shared any more once the other one has gone', async () => {
    const { begun, add, wait } = start();
    add('b1', 'a1', 'a2', 'a3');
    for (const _ of [1, 2, 3]) await setImmediate();
    assert.deepEqual(begun, ['b1', 'a1', 'a2', 'a3']);
    wait(2_000);
    add('a4', 'a5', 'a6', 'a7');
    await setImmediate();
    assert.equal(begun.length, 8);
  });

  it('go on with what waits, and with what arrives while others begin', async () => {
    const begun: string[] = [];
    const take = createRequestScheduler(() => 0);
    take({ key: 'a' }, () => {
      begun.push('first');
      take({ key: 'a' }, () => begun.push('second'));
    });
    await setImmediate();
    assert.deepEqual(begun, ['first']);
    await setImmediate();
    assert.deepEqual(begun, ['first', 'second']);
  });

  it('begin at most 64 requests of an organization', async () => {
    const { begun, add } = start();
    add(...Array.from({ length: 100 }, (_, n) => `a${n}`));
    await setImmediate();
    assert.equal(begun.length, 64);
    await setImmediate();
    assert.equal(begun.length, 100);
  });

  it('begin slides before all others, one of each attempt and a few in each turn', async () => {
    const begun: string[] = [];
    const take = createRequestScheduler(() => 0);
    for (const key of ['a', 'b', 'b']) take({ key }, () => begun.push(key));
    for (const slide of ['x1', 'x2', ...Array.from({ length: 16 }, (_, n) => `${n}`)])
      take({ key: slide.replace(/^x.*/, 'x'), isSlide: true }, () => begun.push(slide));
    await setImmediate();
    assert.deepEqual([begun[0], begun.slice(15)], ['x1', ['14', 'a', 'b']]);
    await setImmediate();
    assert.deepEqual(begun.slice(18), ['15', 'x2', 'b']);
  });

  describe('of connections', () => {
    const response = () => Object.assign(new EventEmitter(), { destroyed: false, closed: false });
    type Response = ReturnType<typeof response>;

    function startOn() {
      const begun: string[] = [];
      const begin = fairSchedulingHook(({ id }) => ({ key: id.slice(0, 1) }));
      const take = (id: string, socket: object, raw: Response = response()) => {
        const request = { id, raw: { socket } } as unknown as FastifyRequest;
        begin(request, { raw } as unknown as FastifyReply, () => begun.push(id));
        return raw;
      };
      return { begun, take };
    }

    it('begin no request whose client has gone', async () => {
      const { begun, take } = startOn();
      take('a gone', {}).destroyed = true;
      take('a here', {});
      await setImmediate();
      assert.deepEqual(begun, ['a here']);
    });

    it('begin a request after the one in front of it was answered, while others are there', async () => {
      const { begun, take } = startOn();
      const socket = {};
      const first = take('a1', socket);
      take('a2', socket);
      await setImmediate();
      assert.deepEqual(begun, ['a1', 'a2'], 'an organization that is alone');
      take('b1', {});
      take('a3', {});
      take('a4', socket);
      for (const _ of [1, 2, 3]) await setImmediate();
      assert.deepEqual(begun.slice(2), ['b1', 'a3']);
      assert.equal(first.listenerCount('close'), 0);
    });

    it('go on when the one in front is answered', async () => {
      const { begun, take } = startOn();
      const socket = {};
      take('b1', {});
      const first = take('a1', socket);
      take('a2', socket);
      for (const _ of [1, 2, 3]) await setImmediate();
      assert.deepEqual(begun, ['b1', 'a1']);
      first.closed = true;
      first.emit('close');
      await setImmediate();
      assert.deepEqual(begun, ['b1', 'a1', 'a2']);
    });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fairStarts } from './fair-starts.js';

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

  it('belong to an organization that is alone, however many requests it has', () => {
    const { begun, add } = start();
    add('a1', 'a2', 'a3', 'a4', 'a5');
    assert.equal(begun.length, 5);
  });

  it('are shared while another one is there: one request of each begins', async () => {
    const { begun, add } = start();
    add('b1', 'a1', 'a2', 'a3', 'c1');
    assert.deepEqual(begun, ['b1', 'a1', 'c1']);
    await nextTurn();
    assert.deepEqual(begun.slice(3), ['a2']);
    // What comes later stays behind what waits.
    add('a4', 'b2');
    assert.deepEqual(begun.slice(4), ['b2']);
    await nextTurn();
    await nextTurn();
    assert.deepEqual(begun.slice(5), ['a3', 'a4']);
  });

  it('are not shared any more once the other one has gone', async () => {
    const { begun, add, wait } = start();
    add('b1', 'a1', 'a2', 'a3');
    await nextTurn();
    await nextTurn();
    assert.equal(begun.length, 4);
    wait(2_000);
    add('a4', 'a5', 'a6', 'a7');
    assert.equal(begun.length, 8);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fitInTurn, withPatience } from './lines.js';

describe('A slide that waits to be converted', () => {
  it('leaves the line with 503 before its connection ends', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let made: unknown;
    const app = {
      perProcess<T>(make: () => T): T {
        made ??= make();
        return made as T;
      },
    };
    let end = () => {};
    const begun: string[] = [];
    const fit = (name: string, work: () => Promise<void>) =>
      withPatience((patience) =>
        fitInTurn(
          app,
          'org',
          () => {
            begun.push(name);
            return work();
          },
          patience,
        ),
      );
    const first = fit('first', () => new Promise<void>((resolve) => (end = resolve)));
    t.mock.timers.tick(50_000);
    const second = fit('second', async () => {});
    const third = fit('third', async () => {});
    second.catch(() => {});
    // It cannot be ended, and goes on; its request is answered.
    t.mock.timers.tick(50_000);
    await assert.rejects(first, { code: 'busy', status: 503 });
    t.mock.timers.tick(49_999);
    end();
    await Promise.all([second, third]);
    let endAnother = () => {};
    const fourth = fit('fourth', () => new Promise<void>((resolve) => (endAnother = resolve)));
    const fifth = fit('fifth', async () => {});
    fourth.catch(() => {});
    t.mock.timers.tick(100_000);
    await assert.rejects(fifth, { code: 'busy', status: 503 });
    endAnother();
    await nextTurn();
    assert.deepEqual(begun, ['first', 'second', 'third', 'fourth']);
  });
});

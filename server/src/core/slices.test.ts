import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSlices, SLICE_UNITS, SLICES, type Sliced } from './slices.js';

function* steps(count: number, units: number, begun: { steps: number } = { steps: 0 }): Sliced<string> {
  for (let n = 0; n < count; n++) {
    begun.steps++;
    yield units;
  }
  return 'done';
}

describe('Work in slices', () => {
  it('returns what the work returns, or fails as it fails', async () => {
    assert.equal(await inSlices(steps(3, 1)), 'done');
    await assert.rejects(
      inSlices(
        (function* () {
          yield 1;
          throw new Error('bad line');
        })(),
      ),
      /bad line/,
    );
  });

  it('lets others run after a number of units, and tells the units of each slice', async () => {
    const slices: number[] = [];
    const listen = (units: unknown) => void slices.push(units as number);
    SLICES.subscribe(listen);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 0);
    const count = () => {
      ticks++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await inSlices(steps(10, SLICE_UNITS / 2));
    clearImmediate(next);
    clearInterval(timer);
    SLICES.unsubscribe(listen);
    assert.deepEqual(slices, [...Array(5).fill(SLICE_UNITS), 0]);
    assert.ok(ticks >= 5, `${ticks} ticks`);
  });

  it('ends between two slices when the signal aborts', async () => {
    const begun = { steps: 0 };
    const gone = new AbortController();
    const work = inSlices(steps(1_000, SLICE_UNITS, begun), gone.signal);
    gone.abort(new Error('gone'));
    await assert.rejects(work, /gone/);
    assert.equal(begun.steps, 1);
  });
});

// Exactly once, enumerated: a worker dies, is paused beyond its lease, or loses its database for as long, at each of its operations
// in turn, in every story. SWEEP, SWEEP_ACT and SWEEP_SEED choose: sweep/whole-sweep.ts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { STORIES } from './sweep/sweep.js';
import { wholeSweep } from './sweep/whole-sweep.js';

const PLATFORM = 'the platform of today';

describe(`A post is published exactly once, wherever its worker fails (${PLATFORM})`, {
  concurrency: 2,
}, () => {
  for (const { title, run } of wholeSweep(PLATFORM, STORIES))
    it(title, async (t) => {
      const tally = await run();
      t.diagnostic(String(tally));
      assert.deepEqual(tally.failures, []);
    });
});

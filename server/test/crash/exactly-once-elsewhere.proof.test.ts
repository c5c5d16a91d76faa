// The same as exactly-once.proof.test.ts, on the platforms that we do not have yet.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OTHER_STORIES } from './sweep/sweep.js';
import { wholeSweep } from './sweep/whole-sweep.js';

const PLATFORM = 'platforms that can be asked, or let a submit be repeated';
/** Each story has some 1,700, because both workers meet at more places: all of them would take a night. */
const CASES = 120;

describe(`A post is published exactly once, wherever its worker fails (${PLATFORM})`, {
  concurrency: 2,
}, () => {
  for (const { title, run } of wholeSweep(PLATFORM, OTHER_STORIES, CASES))
    it(title, async (t) => {
      const tally = await run();
      t.diagnostic(String(tally));
      assert.deepEqual(tally.failures, []);
    });
});

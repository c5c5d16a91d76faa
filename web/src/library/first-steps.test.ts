import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stepsOf } from './first-steps.js';

const NONE = { draft: 0, scheduled: 0, publishing: 0, posted: 0, archived: 0 };
const done = (...given: Parameters<typeof stepsOf>) =>
  stepsOf(...given).flatMap(({ name, isDone }) => (isDone ? [name] : []));

describe('the first steps', () => {
  it('tick themselves by the accounts and posts that exist', () => {
    assert.deepEqual(done(0, NONE), []);
    assert.deepEqual(done(1, NONE), ['connect']);
    assert.deepEqual(done(0, { ...NONE, draft: 1 }), ['create']);
    assert.deepEqual(done(1, { ...NONE, scheduled: 1 }), ['connect', 'create', 'schedule']);
    assert.deepEqual(done(1, { ...NONE, posted: 1 }), ['connect', 'create', 'schedule']);
    assert.deepEqual(done(1, { ...NONE, archived: 1 }), ['connect', 'create']);
  });
});

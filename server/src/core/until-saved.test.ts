import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryUntilSaved } from './until-saved.js';

const AWAY = new Error('the database is away');

/** A save that fails this many times, and counts. */
function failing(times: number) {
  const saves = { count: 0 };
  const save = async () => {
    if (++saves.count <= times) throw AWAY;
    return 'saved';
  };
  return { saves, save };
}

describe('Saving until it succeeds', () => {
  const never = new AbortController().signal;

  it('repeats the save, and tells of each failure but logs few', async () => {
    const { saves, save } = failing(3);
    const failures: [number, boolean][] = [];
    const result = await retryUntilSaved(never, save, (err, tries, isLogged) => {
      assert.equal(err, AWAY);
      failures.push([tries, isLogged]);
    });
    assert.equal(result, 'saved');
    assert.equal(saves.count, 4);
    assert.deepEqual(failures, [
      [1, true],
      [2, false],
      [3, false],
    ]);
  });

  it('tries once more when the process ends, and fails with that error', async () => {
    const { saves, save } = failing(Number.POSITIVE_INFINITY);
    const ending = new AbortController();
    await assert.rejects(
      retryUntilSaved(ending.signal, save, () => ending.abort()),
      AWAY,
    );
    assert.equal(saves.count, 2);
  });

  it('ends if the failure is one that waiting does not cure', async () => {
    const { saves, save } = failing(Number.POSITIVE_INFINITY);
    await assert.rejects(
      retryUntilSaved(never, save, (err, tries) => {
        if (tries === 2) throw err;
      }),
      AWAY,
    );
    assert.equal(saves.count, 2);
  });
});

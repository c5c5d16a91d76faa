import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SqliteConnection } from './connection.js';
import { ExternalCommits } from './external-commits.js';

describe('Commits of other processes', () => {
  function counting() {
    let reads = 0;
    const connection = {
      dataVersion: () => {
        reads += 1;
        if (reads === 2) throw new Error('busy');
        return reads;
      },
    };
    return { commits: new ExternalCommits(connection as SqliteConnection), reads: () => reads };
  }

  it('are asked for once, after all who want to know at the same time have asked', async () => {
    const { commits, reads } = counting();
    const versions = [commits.version(), commits.version()];
    assert.equal(reads(), 0);
    assert.deepEqual(await Promise.all(versions), [1, 1]);
    assert.equal(reads(), 1);
  });

  it('are asked for again afterwards, also after an error', async () => {
    const { commits } = counting();
    assert.equal(await commits.version(), 1);
    await assert.rejects(commits.version(), /busy/);
    assert.equal(await commits.version(), 3);
  });
});

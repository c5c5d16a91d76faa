import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import { ReaderPool } from './reader-pool.js';

describe('Processes for long reads', () => {
  it('are forgotten if they cannot be started', async () => {
    const { execPath } = process;
    const processes = new ReaderPool(':memory:');
    process.execPath = '/no/such/program';
    try {
      for (let i = 0; i < 3; i++)
        await assert.rejects(processes.executeQuery(CompiledQuery.raw('select 1')), { code: 'unavailable' });
      assert.equal(processes.alive.size, 0);
      process.execPath = execPath;
      assert.deepEqual((await processes.executeQuery(CompiledQuery.raw('select 1 as one'))).rows, [
        { one: 1 },
      ]);
      assert.equal(processes.alive.size, 1);
    } finally {
      process.execPath = execPath;
      await processes.close();
    }
    assert.equal(processes.alive.size, 0);
  });
});

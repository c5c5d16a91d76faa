// The error on a post when the note before a send could not be written: it names the database or the file store.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Kysely } from 'kysely';
import type { Tables } from '../../src/db/tables.js';
import { startSafety } from '../../src/restore-safety/monitor.js';
import type { Safety } from '../../src/restore-safety/safety.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { startTestService } from '../support/service/harness.js';
import { handleAround } from '../support/world/handle-around.js';

onEngines('both', 'The note before a send could not be written', (engine) => {
  const away = () => {
    throw new Error('away');
  };

  it('names the database or the file store, whichever does not answer, at every step', async () => {
    const service = await startTestService(engine);
    let safety: Safety | undefined;
    try {
      const { db, store, clock } = service.app;
      let isAway = '';
      const unless = (what: string) => isAway === what && away();
      safety = await startSafety({
        db: {
          ...db,
          transact: async (work) => {
            unless('database that is written');
            return db.transact(work);
          },
          read: new Kysely<Tables>(
            handleAround(db.read, async (statement) => {
              unless('database that is read');
              return statement();
            }),
          ),
        },
        store: {
          load: async (key) => {
            unless('store that is read');
            return store.load(key);
          },
          replace: async (key, bytes) => {
            unless('store that is written');
            return store.replace(key, bytes);
          },
        },
        clock,
        log: silentLog,
        storeName: 'a test',
        intervalMs: 3_600_000,
        doubtMs: 0,
        onRestored: async () => {},
      });
      const refusals: Record<string, string | undefined> = {};
      for (const what of [
        'database that is written',
        'database that is read',
        'store that is read',
        'store that is written',
      ]) {
        isAway = what;
        refusals[what] = (await safety.checkBeforeSend())?.code;
      }
      assert.deepEqual(refusals, {
        'database that is written': 'unavailable',
        'database that is read': 'unavailable',
        'store that is read': 'store_unavailable',
        'store that is written': 'store_unavailable',
      });
    } finally {
      safety?.stop();
      await service.stop();
    }
  });
});

// The error on a post when the note before a send could not be written: it names the database or the file store.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSafety } from '../../src/safety/guard.js';
import type { Safety } from '../../src/safety/safety.js';
import { silentLog } from '../databases.js';
import { onEachEngine, startTestService } from '../harness.js';

onEachEngine('The note before a send could not be written', (engine) => {
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
          get read() {
            unless('database that is read');
            return db.read;
          },
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
        intervalMs: 3_600_000,
        onRestored: async () => {},
      });
      const told: Record<string, string | undefined> = {};
      for (const what of [
        'database that is written',
        'database that is read',
        'store that is read',
        'store that is written',
      ]) {
        isAway = what;
        told[what] = (await safety.confirm())?.code;
      }
      assert.deepEqual(told, {
        'database that is written': 'unavailable',
        // The note is written by then, and only the second read of the counter is missing.
        'database that is read': undefined,
        'store that is read': 'store_unavailable',
        'store that is written': 'store_unavailable',
      });
    } finally {
      safety?.stop();
      await service.stop();
    }
  });
});

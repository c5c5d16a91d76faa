// The background work of a process: its loops, and the sign of life that other processes see.
import type { App } from '../app.js';
import { sweepUploads } from '../assets/sweep.js';
import { KEPT_MS } from '../http/idempotency.js';
import { faultOf } from '../log.js';
import { removeCondemned, removeOrphans } from '../storage/garbage.js';
import { type Loop, type LoopPlan, startLoop } from './loop.js';

export interface Worker {
  /** The loops that have not finished a turn for too long. */
  silentLoops(): string[];
  stop(): Promise<void>;
}

const SWEEP_BATCH = 500;

export function startWorker(app: App): Worker {
  const id = app.newId();
  const loops: Loop[] = plans(app, id).map((plan) => startLoop(plan, app.log));
  return {
    silentLoops: () => loops.filter((loop) => !loop.isFresh()).map((loop) => loop.name),
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await app.db
        .transact((tx) => tx.deleteFrom('workers').where('id', '=', id).execute())
        .catch((err) => app.log.warn(faultOf(err), 'the worker could not sign off; it will be missed'));
    },
  };
}

function plans(app: App, id: string): LoopPlan[] {
  const startedAt = app.clock.now();
  return [
    {
      name: 'heartbeat',
      everyMs: 5_000,
      turn: async () => {
        const beat = { beat_at: app.clock.now() };
        await app.db.transact((tx) =>
          tx
            .insertInto('workers')
            .values({ id, started_at: startedAt, ...beat })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(beat))
            .execute(),
        );
      },
    },
    { name: 'sweep', everyMs: 60_000, turn: () => sweep(app) },
    {
      name: 'garbage',
      everyMs: between(1_000, app.config.garbageGraceMs, 60_000),
      turn: () => collectGarbage(app),
    },
    // Lists the whole store, so not oftener than it can find something. Not at once: whoever has started with the wrong
    // database or bucket has time to notice.
    {
      name: 'orphans',
      startsLater: true,
      everyMs: between(10_000, app.config.garbageGraceMs, 6 * 3_600_000),
      turn: () => removeOrphans(app),
    },
  ];
}

const GARBAGE_TURN_MS = 60_000;

/** An upload may pause for a minute, and its last flush may take as long: its draft must outlive both. */
const LEAST_DRAFT_AGE_MS = 600_000;

const between = (least: number, ms: number, most: number) => Math.min(Math.max(ms, least), most);

/** Removes the files that nobody needs any more. */
export async function collectGarbage(app: App): Promise<void> {
  // A store that hangs must not make the loop look dead; what is left waits for the next turn.
  const giveUpAt = performance.now() + GARBAGE_TURN_MS;
  await sweepUploads(app, giveUpAt);
  await removeCondemned(app, giveUpAt);
  await app.store.removeBroken(app.clock.now() - Math.max(app.config.garbageGraceMs, LEAST_DRAFT_AGE_MS));
}

/** Forgets what is too old to matter, a small batch at a time: a long statement would stop every other writer. */
export async function sweep(app: App): Promise<void> {
  const now = app.clock.now();
  await app.db.transact((tx) =>
    tx
      .deleteFrom('workers')
      .where('beat_at', '<', now - 3_600_000)
      .execute(),
  );
  for (;;) {
    const gone = await app.db.transact((tx) =>
      tx
        .deleteFrom('idempotency_records')
        .where('created_at', '<=', now - KEPT_MS) // again: one may be renewed while this waits for it
        .where(
          (eb) => eb.refTuple('org_id', 'key'),
          'in',
          tx
            .selectFrom('idempotency_records')
            .select(['org_id', 'key'])
            .where('created_at', '<=', now - KEPT_MS)
            .orderBy('created_at')
            .limit(SWEEP_BATCH)
            .$asTuple('org_id', 'key'),
        )
        .executeTakeFirst(),
    );
    if (Number(gone.numDeletedRows) < SWEEP_BATCH) return;
  }
}

// What /readyz checks. A hanging database or disk is asked one question at a time, however many calls wait for the answer.
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { singleFlightWithTimeout } from '../core/concurrency.js';
import { toLogFields } from '../core/log.js';
import { MADE_BEFORE_RELEASE, schemaCheck } from '../db/migrate.js';
import { WORKER_SILENCE_MS } from '../operator/figures.js';
import type { App } from '../request/app.js';
import type { Worker } from '../worker/worker.js';

export interface HealthDeps {
  /** Null in processes without the product's database (the sandbox). */
  app: App | null;
  /** Null in processes without loops, and until the loops start. */
  worker(): Worker | null;
  isStopping(): boolean;
}

/** A load balancer needs an answer in time, also while the database or the disk hangs. */
const ANSWER_WITHIN_MS = 2_000;
const TOO_LATE = { mistake: 'does not answer within 2 seconds' };

export const DISK_FULL = 'full';

const MISFIT = {
  'before release': MADE_BEFORE_RELEASE,
  behind: 'its schema lacks migrations of this version',
  ahead: 'its schema is of a newer version, with which this one does not work',
};

/** What a part says of itself; `mistake` is null if all is well. */
interface Health {
  mistake: string | null;
  others?: Record<string, string>;
}

export function createReadiness(parts: HealthDeps) {
  const { app } = parts;
  const askDatabase = app && databaseCheck(app, parts.worker);
  const askDisk = app && diskCheck(app);
  return async () => {
    const checks: Record<string, string> = {};
    let failing = false;
    const fail = (name: string, reason: string) => {
      checks[name] = reason;
      failing = true;
    };
    if (parts.isStopping()) fail('process', 'stopping');
    const [database, disk] = await Promise.all([askDatabase?.(), askDisk?.()]);
    if (database && database.mistake !== null) fail('database', database.mistake);
    else if (database) Object.assign(checks, database.others, { database: 'ok' });
    if (disk && disk.mistake !== null) fail('disk', disk.mistake);
    // Slower, but nothing is lost: the process stays ready.
    if (app?.db.isPolling()) checks.notifications = 'polling';
    if (app?.safety.mode.kind === 'unchecked') fail('files', app.safety.mode.reason);
    // Nothing is published, but everything else works: the process stays ready.
    if (app?.safety.mode.kind === 'unreadable') checks.files = app.safety.mode.reason;
    const worker = parts.worker();
    if (worker) {
      const silent = worker.silentLoops();
      if (silent.length === 0) checks.worker = 'ok';
      else fail('worker', `no heartbeat from: ${silent.join(', ')}`);
    }
    return { failing, checks };
  };
}

function databaseCheck(app: App, worker: HealthDeps['worker']): () => Promise<Health> {
  const schemaFit = schemaCheck(app.db);
  const countWorkers = app.db.prepareRead((read, since: number) =>
    read
      .selectFrom('workers')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('heartbeat_at', '>', since),
  );
  return singleFlightWithTimeout<Health>(ANSWER_WITHIN_MS, TOO_LATE, async () => {
    try {
      const fit = await schemaFit();
      if (fit !== 'fits') return { mistake: MISFIT[fit] };
      if (worker() !== null) return { mistake: null };
      const [counted] = await countWorkers(app.clock.now() - WORKER_SILENCE_MS);
      return { mistake: null, others: { workers: `${counted?.n} alive` } };
    } catch (err) {
      app.log.warn(toLogFields(err), 'the database does not answer');
      return { mistake: 'does not answer' };
    }
  });
}

/** The embedded database and the files may be on different disks. */
export function diskCheck({ config, db, store, log }: App): () => Promise<Health> {
  const folders = [
    ...(db.engine === 'sqlite' ? [config.dataDir] : []),
    ...(store.kind === 'disk' ? [join(config.dataDir, 'files')] : []),
  ];
  return singleFlightWithTimeout<Health>(ANSWER_WITHIN_MS, TOO_LATE, async () => {
    try {
      const areFull = await Promise.all(folders.map(isDiskFull));
      return { mistake: areFull.includes(true) ? DISK_FULL : null };
    } catch (err) {
      log.warn(toLogFields(err), 'the disk of DATA_DIR does not answer');
      return { mistake: 'does not answer' };
    }
  });
}

/** With less than this, any commit of the embedded database and any small file may be the one that fails. */
const MIN_FREE_BYTES = 32 * 2 ** 20;

async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  // Some file systems count no files, and have room for any number.
  return bavail * bsize < MIN_FREE_BYTES || (files > 0 && ffree === 0);
}

// Liveness and readiness: the same two routes in every process. A hanging database or disk is asked one question at a time, however
// many calls of /readyz wait for the answer.

import { Type } from 'typebox';
import type { App } from '../app/app.js';
import { singleFlightWithTimeout } from '../core/concurrency.js';
import { toLogFields } from '../core/log.js';
import { MADE_BEFORE_RELEASE, schemaCheck } from '../db/migrate.js';
import { prepareRead } from '../db/prepared-statements.js';
import { WORKER_SILENCE_MS } from '../db/tables.js';
import { choice, nullable, problemResponses } from '../request/schema.js';
import type { Server } from '../request/server.js';
import type { Worker } from '../worker/worker.js';

const Health = Type.Object(
  { status: Type.String() },
  { examples: [{ status: 'alive' }], description: 'The process is alive' },
);
const Readiness = Type.Object(
  {
    status: choice(['ready', 'not_ready']),
    checks: Type.Record(Type.String(), Type.String(), { description: 'The result of each check' }),
    safe_mode: Type.Optional(
      Type.Boolean({
        description:
          'True after a restore from a backup: nothing is published until the operator ends safe mode',
      }),
    ),
    safe_mode_reason: Type.Optional(nullable(Type.String())),
  },
  {
    description: 'Whether the process is ready, and the checks behind it',
    examples: [
      { status: 'ready', checks: { database: 'ok', worker: 'ok' }, safe_mode: false, safe_mode_reason: null },
    ],
  },
);

export function healthRoutes(server: Server, parts: HealthDeps): void {
  const check = createReadiness(parts);
  server.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        tags: ['Health'],
        summary: 'Check that the process is alive',
        description:
          'Responds as long as the process runs, without querying the database. Use it to decide on a restart.',
        security: [],
        response: { 200: Health, ...problemResponses(['bad_request']) },
      },
    },
    async () => ({ status: 'alive' }),
  );

  server.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        tags: ['Health'],
        summary: 'Check readiness: database, migrations, disk, background loops',
        description:
          '503 if the database does not respond, migrations are missing, the disk of `DATA_DIR` is full, or a background loop of this process is silent. `notifications` is `polling` if the process does not receive the notifications of other processes; it is ready all the same. Use it to decide where to send requests.',
        security: [],
        response: { 200: Readiness, 503: Readiness, ...problemResponses(['bad_request']) },
      },
    },
    async (_request, reply) => {
      const { failing, checks } = await check();
      const mode = parts.app?.safety.mode;
      const safety = mode && {
        safe_mode: mode.kind === 'safe',
        safe_mode_reason: mode.kind === 'safe' ? mode.reason : null,
      };
      const status = failing ? 'not_ready' : 'ready';
      return reply.code(failing ? 503 : 200).send({ status, checks, ...safety });
    },
  );
}

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
interface CheckResult {
  mistake: string | null;
  others?: Record<string, string>;
}

function createReadiness(parts: HealthDeps) {
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

const countWorkers = prepareRead((read, since: number) =>
  read
    .selectFrom('workers')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('heartbeat_at', '>', since),
);

function databaseCheck(app: App, worker: HealthDeps['worker']): () => Promise<CheckResult> {
  const schemaFit = schemaCheck(app.db);
  return singleFlightWithTimeout<CheckResult>(ANSWER_WITHIN_MS, TOO_LATE, async () => {
    try {
      const fit = await schemaFit();
      if (fit !== 'fits') return { mistake: MISFIT[fit] };
      if (worker() !== null) return { mistake: null };
      const [counted] = await countWorkers(app.db.read, app.clock.now() - WORKER_SILENCE_MS);
      return { mistake: null, others: { workers: `${counted?.n} alive` } };
    } catch (err) {
      app.log.warn(toLogFields(err), 'the database does not answer');
      return { mistake: 'does not answer' };
    }
  });
}

/** The embedded database and the files may be on different disks. */
export function diskCheck({ db, store, log }: App): () => Promise<CheckResult> {
  return singleFlightWithTimeout<CheckResult>(ANSWER_WITHIN_MS, TOO_LATE, async () => {
    try {
      const areFull = await Promise.all([db.isDiskFull(), store.isDiskFull()]);
      return { mistake: areFull.includes(true) ? DISK_FULL : null };
    } catch (err) {
      log.warn(toLogFields(err), 'the disk of DATA_DIR does not answer');
      return { mistake: 'does not answer' };
    }
  });
}

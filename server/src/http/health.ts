// Liveness and readiness: the same two routes in every process.
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import type { App } from '../api/app.js';
import { choice, nullable } from '../api/schema.js';
import type { Server } from '../api/server.js';
import { schemaFit } from '../db/migrate.js';
import { faultOf } from '../ground/log.js';
import { countWorkers } from '../operator/figures.js';
import type { Mode } from '../safety/safety.js';
import type { Worker } from '../worker/worker.js';

const DATABASE_WITHIN_MS = 2_000;

export interface HealthParts {
  /** Null in processes without the product's database (the sandbox). */
  app: App | null;
  /** Null in processes without loops, and until the loops start. */
  worker(): Worker | null;
  isStopping(): boolean;
}

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

export function healthRoutes(server: Server, parts: HealthParts): void {
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
        response: { 200: Health },
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
        summary: 'Check readiness: database, migrations, background loops',
        description:
          '503 if the database does not respond, migrations are missing, or a background loop of this process is silent. Use it to decide where requests go.',
        security: [],
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply) => {
      const { failing, checks } = await check(parts);
      const safety = parts.app ? safeMode(parts.app.safety.mode) : {};
      const status = failing ? 'not_ready' : 'ready';
      return reply.code(failing ? 503 : 200).send({ status, checks, ...safety });
    },
  );
}

/** As /readyz and /api/v1/me show it. */
export const safeMode = (mode: Mode) => ({
  safe_mode: mode.kind === 'safe',
  safe_mode_reason: mode.kind === 'safe' ? mode.reason : null,
});

const MISFIT = {
  behind: 'its schema lacks migrations of this version',
  ahead: 'its schema is of a newer version, with which this one does not work',
};

async function check({ app, worker: running, isStopping }: HealthParts) {
  const worker = running();
  const checks: Record<string, string> = {};
  let failing = false;
  const fail = (name: string, reason: string) => {
    checks[name] = reason;
    failing = true;
  };
  if (isStopping()) fail('process', 'stopping');
  if (app) {
    const { mistake, ...found } = await checkDatabase(app, worker === null);
    if (mistake === null) Object.assign(checks, found);
    else fail('database', mistake);
  }
  if (app?.safety.mode.kind === 'unchecked') fail('files', app.safety.mode.reason);
  if (worker) {
    const silent = worker.silentLoops();
    if (silent.length === 0) checks.worker = 'ok';
    else fail('worker', `no heartbeat from: ${silent.join(', ')}`);
  }
  return { failing, checks };
}

/** A load balancer needs an answer in time, also while the database hangs. */
async function checkDatabase(
  app: App,
  withWorkers: boolean,
): Promise<{ mistake: string | null; database?: string; workers?: string }> {
  const asked = async () => {
    const fit = await schemaFit(app.db);
    if (fit !== 'fits') return { mistake: MISFIT[fit] };
    const workers = withWorkers
      ? { workers: `${await countWorkers(app.db.read, app.clock.now())} alive` }
      : {};
    return { mistake: null, ...workers, database: 'ok' };
  };
  const late = new AbortController();
  const tooLate = delay(DATABASE_WITHIN_MS, { mistake: 'does not answer within 2 seconds' }, late);
  try {
    return await Promise.race([asked(), tooLate]);
  } catch (err) {
    app.log.warn(faultOf(err), 'the database does not answer');
    return { mistake: 'does not answer' };
  } finally {
    tooLate.catch(() => {});
    late.abort();
  }
}

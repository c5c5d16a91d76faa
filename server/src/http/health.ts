// Liveness and readiness: the same two routes in every process.
import { Type } from 'typebox';
import { choice, nullable } from '../request/schema.js';
import type { Server } from '../request/server.js';
import type { Mode } from '../restore-safety/safety.js';
import { createReadiness, type HealthDeps } from './readiness.js';

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
        summary: 'Check readiness: database, migrations, disk, background loops',
        description:
          '503 if the database does not respond, migrations are missing, the disk of `DATA_DIR` is full, or a background loop of this process is silent. `notifications` is `polling` if the process does not receive the notifications of other processes; it is ready nevertheless. Use it to decide where requests go.',
        security: [],
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply) => {
      const { failing, checks } = await check();
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

import type { App } from '../app/app.js';
import { idempotentForOperator } from '../request/idempotency.js';
import { dataEnvelope, responsesToBody } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { release } from './release.js';
import { findNoteFault, resumePublishing } from './safe-mode-commands.js';
import { ReleaseBody, ReleaseRef } from './schema.js';

export function releaseRoutes(server: Server, app: App): void {
  server.post(
    '/api/admin/v1/release',
    {
      // Before the response, so that this process resumes immediately. Others notice with their next check.
      onSend: async (_request, reply) => {
        if (reply.statusCode === 200) await resumePublishing(app);
      },
      schema: {
        operationId: 'releaseSafeMode',
        tags: ['Operator'],
        summary: 'End safe mode after a restore from a backup',
        description:
          'Scheduled posts whose slot came before safe mode began return to draft. Attempts that were being sent get an unknown outcome. Publishing then resumes. The response lists what was done. If publishing has stopped because the object airdate/alive in the file store is damaged or missing, a new one is written instead, and no post changes. Returns 409 if neither is the case, or if the file store belongs to another installation.',
        body: ReleaseBody,
        response: responsesToBody(
          { 200: dataEnvelope(ReleaseRef) },
          'not_found',
          'not_in_safe_mode',
          'store_taken',
        ),
      },
    },
    async (request, reply) => {
      const noteFault = await findNoteFault(app);
      return idempotentForOperator(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await release(app, tx, request.ip, request.body ?? {}, noteFault) },
      }));
    },
  );
}

import type { App } from '../../app/app.js';
import { callerOf, callerWithAddressOf } from '../../request/caller.js';
import { idempotent } from '../../request/idempotency.js';
import { dataEnvelope, responses, responsesToBody } from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { renameOrganization, whoAmI } from './organizations.js';
import { MeRef, OrganizationRef, RenameOrganization } from './schema.js';

export function organizationRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/me',
    {
      schema: {
        operationId: 'getMe',
        tags: ['Organization'],
        summary: "Get the caller's organization, plan, trial and scopes",
        description:
          'A good first request: it shows whether the key works and what it may do. `safe_mode` is true while nothing is published after a restore.',
        response: responses({ 200: dataEnvelope(MeRef) }),
      },
    },
    async (request) => ({ data: await whoAmI(app, app.db.read, callerOf(request)) }),
  );

  server.patch(
    '/api/v1/organization',
    {
      schema: {
        operationId: 'renameOrganization',
        tags: ['Organization'],
        summary: 'Rename the organization',
        description: 'Ids, keys and links stay the same.',
        body: RenameOrganization,
        response: responsesToBody({ 200: dataEnvelope(OrganizationRef) }),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await renameOrganization(app, tx, callerWithAddressOf(request), request.body) },
      })),
  );
}

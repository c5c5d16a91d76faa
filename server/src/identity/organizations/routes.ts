import type { App } from '../../app/app.js';
import { callerOf, callerWithAddressOf } from '../../request/caller.js';
import { idempotent } from '../../request/idempotency.js';
import { dataEnvelope, responses, responsesToBody } from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { updateOwnOrganization, whoAmI } from './organizations.js';
import { MeRef, OrganizationRef, UpdateOwnOrganization } from './schema.js';

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
        operationId: 'updateOwnOrganization',
        tags: ['Organization'],
        summary: 'Rename the organization, or require a second factor of its members',
        description: 'Ids, keys and links stay the same. Fields that are absent stay as they are.',
        body: UpdateOwnOrganization,
        response: responsesToBody({ 200: dataEnvelope(OrganizationRef) }),
      },
    },
    async (request, reply) => {
      const answer = await idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await updateOwnOrganization(app, tx, callerWithAddressOf(request), request.body) },
      }));
      app.sessionCache.clear();
      return answer;
    },
  );
}

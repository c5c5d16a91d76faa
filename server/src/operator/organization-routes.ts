import { Type } from 'typebox';
import type { App } from '../app/app.js';
import { SCOPES } from '../app/scopes.js';
import { byOperator } from '../audit/record.js';
import { createKey, getKey } from '../identity/keys/keys.js';
import { ApiKeyDetailsRef, CreateKey, NewApiKeyRef } from '../identity/keys/schema.js';
import {
  createOrganizationByOperator,
  getOrganization,
  listOrganizations,
  requireOrganization,
  updateOrganization,
} from '../identity/organizations/organizations.js';
import {
  CreateOrganization,
  ManagedOrganizationRef,
  UpdateOrganization,
} from '../identity/organizations/schema.js';
import { idempotentForOperator } from '../request/idempotency.js';
import { PageParameters, pageOf } from '../request/pagination.js';
import { dataEnvelope, responses, responsesToBody, WithId } from '../request/schema.js';
import type { Server } from '../request/server.js';

/** The operator's API, protected by ADMIN_TOKEN. */
export function organizationAdminRoutes(server: Server, app: App): void {
  server.get(
    '/api/admin/v1/organizations',
    {
      schema: {
        operationId: 'listOrganizations',
        tags: ['Operator'],
        summary: 'List organizations, newest first',
        description: 'All organizations of this installation, with plan and trial.',
        querystring: PageParameters,
        response: responses({ 200: pageOf(ManagedOrganizationRef) }, 'not_found'),
      },
    },
    (request) => listOrganizations(app, request.query),
  );

  server.post(
    '/api/admin/v1/organizations',
    {
      schema: {
        operationId: 'createOrganization',
        tags: ['Operator'],
        summary: 'Create an organization, with a 14-day trial by default',
        description:
          'The organization has no members yet. Create a key for it; with that key, its programs can work and invite members.',
        body: CreateOrganization,
        response: responsesToBody({ 201: dataEnvelope(ManagedOrganizationRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      idempotentForOperator(app, request, reply, async (tx) => {
        const organization = await createOrganizationByOperator(app, tx, request.ip, request.body);
        return {
          status: 201,
          location: `/api/admin/v1/organizations/${organization.id}`,
          body: { data: organization },
        };
      }),
  );

  server.get(
    '/api/admin/v1/organizations/:id',
    {
      schema: {
        operationId: 'getOrganization',
        tags: ['Operator'],
        summary: 'Get an organization, with its quotas',
        description: 'The organization, as in the list.',
        params: WithId,
        response: responses({ 200: dataEnvelope(ManagedOrganizationRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getOrganization(app, request.params.id) }),
  );

  server.patch(
    '/api/admin/v1/organizations/:id',
    {
      schema: {
        operationId: 'updateOrganization',
        tags: ['Operator'],
        summary: 'Change the plan, the end of the trial or the quotas',
        description:
          'In `quotas`, a number sets the quota of this organization, 0 removes its limit, and null restores the limit of the plan. If a quota is set below current usage, only requests that would use more are refused.',
        params: WithId,
        body: UpdateOrganization,
        response: responsesToBody({ 200: dataEnvelope(ManagedOrganizationRef) }, 'not_found'),
      },
    },
    async (request, reply) => {
      const answer = await idempotentForOperator(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await updateOrganization(app, tx, request.ip, request.params.id, request.body) },
      }));
      app.keyCache.clear();
      app.sessionCache.clear();
      return answer;
    },
  );

  server.post(
    '/api/admin/v1/organizations/:id/keys',
    {
      schema: {
        operationId: 'createOrganizationKey',
        tags: ['Operator'],
        summary: 'Create an API key for an organization; it is shown only once',
        description: 'Without `scopes`, the key has all of them. Store it safely: only its hash is kept.',
        params: WithId,
        body: CreateKey,
        response: responsesToBody({ 201: dataEnvelope(NewApiKeyRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      idempotentForOperator(app, request, reply, async (tx) => {
        const orgId = await requireOrganization(tx, request.params.id);
        const issuer = { orgId, scopes: new Set(SCOPES), actor: byOperator(orgId, request.ip) };
        const key = await createKey(app, tx, issuer, request.body);
        const location = `/api/admin/v1/organizations/${orgId}/keys/${key.id}`;
        return { status: 201, location, body: { data: key } };
      }),
  );

  server.get(
    '/api/admin/v1/organizations/:id/keys/:key_id',
    {
      schema: {
        operationId: 'getOrganizationKey',
        tags: ['Operator'],
        summary: 'Get an API key of an organization, without the key itself',
        description:
          'As `GET /api/v1/keys/{id}` shows it to the organization. A key that was revoked is not found.',
        params: Type.Object({ ...WithId.properties, key_id: Type.String() }),
        response: responses({ 200: dataEnvelope(ApiKeyDetailsRef) }, 'not_found'),
      },
    },
    async ({ params }) => {
      const orgId = await requireOrganization(app.db.read, params.id);
      return { data: await getKey(app, { orgId }, params.key_id) };
    },
  );
}

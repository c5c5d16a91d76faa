import type { App } from '../../app/app.js';
import { afterCommit } from '../../db/after-commit.js';
import { callerOf, callerWithAddressOf } from '../../request/caller.js';
import { idempotent, idempotentPerCaller } from '../../request/idempotency.js';
import { PageParameters, pageOf } from '../../request/pagination.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { createOwnKey, getKey, issuerOf, listKeys, renameKey, revokeKey } from './keys.js';
import { ApiKeyDetailsRef, ApiKeyRef, CreateKey, NewApiKeyRef, UpdateKey } from './schema.js';

export function keyRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/keys',
    {
      schema: {
        operationId: 'listKeys',
        tags: ['Keys'],
        summary: 'List API keys, except revoked ones',
        description: 'The secret of a key is never shown again; `prefix`, name and last use identify it.',
        querystring: PageParameters,
        response: responses({ 200: pageOf(ApiKeyRef) }),
      },
    },
    (request) => listKeys(app, callerOf(request), request.query),
  );

  server.post(
    '/api/v1/keys',
    {
      schema: {
        operationId: 'createKey',
        tags: ['Keys'],
        summary: 'Create an API key; it is shown only once',
        description:
          'A key cannot have more scopes than the caller. If the member who created it gets a lower role, the key loses the same scopes. If that member is removed, it stops working.\n\nA key created with another key stops working when that key does: it expires no later, and it is revoked together with that key. Invitations that were created with a key end with it as well, and webhooks are disabled.',
        body: CreateKey,
        response: responsesToBody({ 201: dataEnvelope(NewApiKeyRef) }, 'quota_exceeded'),
      },
    },
    (request, reply) =>
      idempotentPerCaller(app, request, reply, async (tx) => {
        const key = await createOwnKey(app, tx, issuerOf(callerWithAddressOf(request)), request.body);
        return { status: 201, location: `/api/v1/keys/${key.id}`, body: { data: key } };
      }),
  );

  server.get(
    '/api/v1/keys/:id',
    {
      schema: {
        operationId: 'getKey',
        tags: ['Keys'],
        summary: 'Get an API key, without the key itself',
        description:
          'The key, as in the list, with what ends when the key is revoked: keys, invitations and webhooks that were created with it, directly or through other keys. A key that was revoked is not found.',
        params: WithId,
        response: responses({ 200: dataEnvelope(ApiKeyDetailsRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getKey(app, callerOf(request), request.params.id) }),
  );

  server.patch(
    '/api/v1/keys/:id',
    {
      schema: {
        operationId: 'updateKey',
        tags: ['Keys'],
        summary: 'Rename an API key',
        description:
          'Scopes and expiry of a key never change: issue another one. The audit log keeps the name that a key had when it acted.',
        params: WithId,
        body: UpdateKey,
        response: responsesToBody({ 200: dataEnvelope(ApiKeyRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const { params, body } = request;
        const { key, hash } = await renameKey(app, tx, callerWithAddressOf(request), params.id, body);
        afterCommit(tx, () => app.keyCache.forget(hash));
        return { status: 200, body: { data: key } };
      }),
  );

  server.delete(
    '/api/v1/keys/:id',
    {
      schema: {
        operationId: 'revokeKey',
        tags: ['Keys'],
        summary: 'Revoke an API key, and everything made with it',
        description:
          'The key stops working immediately, and its open event streams end. Keys that were created with it are revoked too, open invitations withdrawn, and webhooks disabled (`disabled_reason` is `key_ended`); `GET /keys/{id}` lists them beforehand. Posts, connected accounts and members who have joined stay.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      await revokeKey(app, callerWithAddressOf(request), request.params.id);
      return reply.code(204).send();
    },
  );
}

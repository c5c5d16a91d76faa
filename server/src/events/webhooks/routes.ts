import { Type } from 'typebox';
import type { App } from '../../app/app.js';
import { callerOf, callerWithAddressOf } from '../../request/caller.js';
import { idempotent, idempotentPerCaller, idempotentWithPrepare } from '../../request/idempotency.js';
import { PageParameters, pageOf } from '../../request/pagination.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToAct,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { listDeliveries, recoverWebhook, replayDelivery } from './deliveries.js';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './endpoints.js';
import {
  CreateWebhook,
  ListDeliveries,
  MAX_PREVIOUS_SECRETS,
  MAX_WEBHOOKS,
  NewWebhookRef,
  RecoverWebhook,
  Recovery,
  UpdateWebhook,
  WebhookDeliveryRef,
  WebhookRef,
  WebhookTestRef,
} from './schema.js';
import { recordTest, testWebhook } from './test-webhook.js';

const tags = ['Webhooks'];
const base = '/api/v1/webhooks';

const WithDelivery = Type.Object({ id: Type.String(), delivery_id: Type.String() });

export function webhookRoutes(server: Server, app: App): void {
  server.get(
    base,
    {
      schema: {
        operationId: 'listWebhooks',
        tags,
        summary: 'List webhooks, newest first',
        description: 'Secrets are not shown again: if one is lost, rotate it.',
        querystring: PageParameters,
        response: responses({ 200: pageOf(WebhookRef) }),
      },
    },
    (request) => listWebhooks(app, callerOf(request), request.query),
  );

  server.post(
    base,
    {
      schema: {
        operationId: 'createWebhook',
        tags,
        summary: 'Create a webhook; its secret is shown only once',
        description: `Events from now on are sent to the URL as signed POST requests (Standard Webhooks: \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`). Each is sent at least once, and those about the same post in order. A delivery that gets no 2xx response within 15 seconds is retried for three days, ten attempts in all; \`Retry-After\` is honoured. A 410 response disables the webhook immediately; so do five days in which every delivery failed. 409 \`limit_reached\` if the organization has ${MAX_WEBHOOKS} webhooks.`,
        body: CreateWebhook,
        response: responsesToBody({ 201: dataEnvelope(NewWebhookRef) }, 'limit_reached'),
      },
    },
    (request, reply) =>
      idempotentPerCaller(app, request, reply, async (tx) => {
        const webhook = await createWebhook(app, tx, callerWithAddressOf(request), request.body);
        return { status: 201, location: `${base}/${webhook.id}`, body: { data: webhook } };
      }),
  );

  server.get(
    `${base}/:id`,
    {
      schema: {
        operationId: 'getWebhook',
        tags,
        summary: 'Get a webhook',
        description: 'Shows whether the webhook is enabled, and since when it has been failing.',
        params: WithId,
        response: responses({ 200: dataEnvelope(WebhookRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getWebhook(app, callerOf(request), request.params.id) }),
  );

  server.patch(
    `${base}/:id`,
    {
      schema: {
        operationId: 'updateWebhook',
        tags,
        summary: 'Change, disable or enable a webhook',
        description:
          'Fields that you leave out stay unchanged. A new URL is used from the next attempt on, and new types from the next event on. A webhook that was disabled, by a caller or by the service, starts with the next event when it is enabled.',
        params: WithId,
        body: UpdateWebhook,
        response: responsesToBody({ 200: dataEnvelope(WebhookRef) }, 'not_found'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const { params, body } = request;
        return {
          status: 200,
          body: { data: await updateWebhook(app, tx, callerWithAddressOf(request), params.id, body) },
        };
      }),
  );

  server.delete(
    `${base}/:id`,
    {
      schema: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook',
        description: 'Airdate sends nothing more to it, and its log is deleted.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      await app.db.transact((tx) => deleteWebhook(app, tx, callerWithAddressOf(request), request.params.id));
      return reply.code(204).send();
    },
  );

  server.post(
    `${base}/:id/rotate`,
    {
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Replace the secret of a webhook; the new one is shown only once',
        description: `For 24 hours, messages also carry a signature with the replaced secret, so that receivers can switch to the new one. Each replaced secret keeps its 24 hours, however often you rotate. 409 \`limit_reached\` if ${MAX_PREVIOUS_SECRETS} replaced secrets are still in use.`,
        params: WithId,
        response: responsesToAct({ 200: dataEnvelope(NewWebhookRef) }, 'not_found', 'limit_reached'),
      },
    },
    (request, reply) =>
      idempotentPerCaller(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await rotateSecret(app, tx, callerWithAddressOf(request), request.params.id) },
      })),
  );

  server.post(
    `${base}/:id/test`,
    {
      schema: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a test message, and wait for the response',
        description:
          'Sends a signed message of the type `webhook.test`, even to a disabled webhook. The message is not retried, and appears in no log. The response is 200 whatever the endpoint returns.',
        params: WithId,
        response: responsesToAct({ 200: dataEnvelope(WebhookTestRef) }, 'not_found', 'busy', 'safe_mode'),
      },
    },
    (request, reply) =>
      idempotentWithPrepare(app, request, reply, {
        prepare: () => testWebhook(app, callerOf(request), request.params.id),
        work: async (tx, tested) => ({
          status: 200,
          body: { data: await recordTest(app, tx, callerWithAddressOf(request), tested) },
        }),
        discard: async () => {},
      }),
  );

  server.post(
    `${base}/:id/recover`,
    {
      schema: {
        operationId: 'recoverWebhook',
        tags,
        summary: 'Send everything that a webhook has missed since a given time',
        description:
          'Events that failed, or happened while the webhook was disabled or did not exist, are queued in the background, in their order. Delivered events are not sent again. 409 `webhook_disabled` if it is disabled.',
        params: WithId,
        body: RecoverWebhook,
        response: responsesToBody(
          { 200: Type.Object({ data: Recovery }, { description: 'Success' }) },
          'not_found',
          'webhook_disabled',
        ),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const { params, body } = request;
        return {
          status: 200,
          body: {
            data: { events: await recoverWebhook(app, tx, callerWithAddressOf(request), params.id, body) },
          },
        };
      }),
  );

  server.get(
    `${base}/:id/deliveries`,
    {
      schema: {
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'List the deliveries of a webhook, with attempts, newest first',
        description:
          'Deliveries are kept for 30 days. Counting stops at 100,000, the last delivery that you can page to.',
        params: WithId,
        querystring: ListDeliveries,
        response: responses({ 200: pageOf(WebhookDeliveryRef) }, 'not_found'),
      },
    },
    (request) => listDeliveries(app, callerOf(request), request.params.id, request.query),
  );

  server.post(
    `${base}/:id/deliveries/:delivery_id/replay`,
    {
      schema: {
        operationId: 'replayWebhookDelivery',
        tags,
        summary: 'Send a delivery again',
        description:
          'Sends the same `webhook-id` and body, with a new timestamp and signature. A pending delivery is sent now, unless it waits for an earlier one about the same post. 409 `webhook_disabled` if the webhook is disabled.',
        params: WithDelivery,
        response: responsesToAct({ 200: dataEnvelope(WebhookDeliveryRef) }, 'not_found', 'webhook_disabled'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const { id, delivery_id } = request.params;
        return {
          status: 200,
          body: { data: await replayDelivery(app, tx, callerWithAddressOf(request), id, delivery_id) },
        };
      }),
  );
}

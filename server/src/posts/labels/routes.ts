import type { App } from '../../app/app.js';
import { callerOf, callerWithAddressOf } from '../../request/caller.js';
import { idempotent } from '../../request/idempotency.js';
import { pageOf } from '../../request/pagination.js';
import {
  dataEnvelope,
  NoContent,
  responses,
  responsesToBody,
  responsesToNoBody,
  WithId,
} from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { createLabel, getLabel, listLabels, updateLabel } from './labels.js';
import { deleteLabel } from './post-labels.js';
import { CreateLabel, LabelRef, ListLabels, MAX_LABELS, UpdateLabel } from './schema.js';

const tags = ['Labels'];

export function labelRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/labels',
    {
      schema: {
        operationId: 'listLabels',
        tags,
        summary: 'List labels by name',
        description: `An organization has at most ${MAX_LABELS} labels, so \`per_page=100\` returns all of them.`,
        querystring: ListLabels,
        response: responses({ 200: pageOf(LabelRef) }),
      },
    },
    (request) => listLabels(app, callerOf(request), request.query),
  );

  server.post(
    '/api/v1/labels',
    {
      schema: {
        operationId: 'createLabel',
        tags,
        summary: 'Create a label',
        description: `409 \`name_taken\` if a label with this name exists, 409 \`limit_reached\` if the organization has ${MAX_LABELS} labels.`,
        body: CreateLabel,
        response: responsesToBody({ 201: dataEnvelope(LabelRef) }, 'name_taken', 'limit_reached'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const label = await createLabel(app, tx, callerWithAddressOf(request), request.body);
        return { status: 201, location: `/api/v1/labels/${label.id}`, body: { data: label } };
      }),
  );

  server.get(
    '/api/v1/labels/:id',
    {
      schema: {
        operationId: 'getLabel',
        tags,
        summary: 'Get a label',
        description: 'The label with its name and colour, as in the list.',
        params: WithId,
        response: responses({ 200: dataEnvelope(LabelRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getLabel(app, callerOf(request), request.params.id) }),
  );

  server.patch(
    '/api/v1/labels/:id',
    {
      schema: {
        operationId: 'updateLabel',
        tags,
        summary: 'Rename a label, or change its colour',
        description: 'The change shows on every post that has the label.',
        params: WithId,
        body: UpdateLabel,
        response: responsesToBody({ 200: dataEnvelope(LabelRef) }, 'not_found', 'name_taken'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: {
          data: await updateLabel(app, tx, callerWithAddressOf(request), request.params.id, request.body),
        },
      })),
  );

  server.delete(
    '/api/v1/labels/:id',
    {
      schema: {
        operationId: 'deleteLabel',
        tags,
        summary: 'Delete a label and take it off its posts',
        description:
          'The posts stay, and their ETags change. With many thousands of posts this takes seconds. If the request is interrupted, the label is still there: send the request again.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      await deleteLabel(app, callerWithAddressOf(request), request.params.id);
      return reply.code(204).send();
    },
  );
}

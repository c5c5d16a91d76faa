import type { App } from '../../app/app.js';
import { callerOf } from '../../request/caller.js';
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
import { CreateSnippet, ListSnippets, MAX_SNIPPETS, SnippetRef, UpdateSnippet } from './schema.js';
import { createSnippet, deleteSnippet, getSnippet, listSnippets, updateSnippet } from './snippets.js';

const tags = ['Snippets'];

export function snippetRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/snippets',
    {
      schema: {
        operationId: 'listSnippets',
        tags,
        summary: 'List saved captions and groups of hashtags, by kind and name',
        description: 'Snippets belong to the organization, so that all members share them.',
        querystring: ListSnippets,
        response: responses({ 200: pageOf(SnippetRef) }),
      },
    },
    (request) => listSnippets(app, callerOf(request), request.query),
  );

  server.post(
    '/api/v1/snippets',
    {
      schema: {
        operationId: 'createSnippet',
        tags,
        summary: 'Save a caption or a group of hashtags',
        description: `409 \`name_taken\` if a snippet of this kind has the name, 409 \`limit_reached\` if the organization has ${MAX_SNIPPETS} snippets. Posts take the text itself, so changing or deleting a snippet changes no post.`,
        body: CreateSnippet,
        response: responsesToBody({ 201: dataEnvelope(SnippetRef) }, 'name_taken', 'limit_reached'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => {
        const snippet = await createSnippet(app, tx, callerOf(request), request.body);
        return { status: 201, location: `/api/v1/snippets/${snippet.id}`, body: { data: snippet } };
      }),
  );

  server.get(
    '/api/v1/snippets/:id',
    {
      schema: {
        operationId: 'getSnippet',
        tags,
        summary: 'Get a snippet',
        description: 'The snippet with its text, as in the list.',
        params: WithId,
        response: responses({ 200: dataEnvelope(SnippetRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getSnippet(app, callerOf(request), request.params.id) }),
  );

  server.patch(
    '/api/v1/snippets/:id',
    {
      schema: {
        operationId: 'updateSnippet',
        tags,
        summary: 'Change the name or the text of a snippet',
        description:
          'Fields that you leave out stay unchanged. Posts that were written with the snippet do not change.',
        params: WithId,
        body: UpdateSnippet,
        response: responsesToBody({ 200: dataEnvelope(SnippetRef) }, 'not_found', 'name_taken'),
      },
    },
    (request, reply) =>
      idempotent(app, request, reply, async (tx) => ({
        status: 200,
        body: { data: await updateSnippet(app, tx, callerOf(request), request.params.id, request.body) },
      })),
  );

  server.delete(
    '/api/v1/snippets/:id',
    {
      schema: {
        operationId: 'deleteSnippet',
        tags,
        summary: 'Delete a snippet',
        description: 'Posts that were written with it keep their text.',
        params: WithId,
        response: responsesToNoBody({ 204: NoContent }, 'not_found'),
      },
    },
    async (request, reply) => {
      await app.db.transact((tx) => deleteSnippet(tx, callerOf(request), request.params.id));
      return reply.code(204).send();
    },
  );
}

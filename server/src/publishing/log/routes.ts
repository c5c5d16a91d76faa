import type { App } from '../../api/app.js';
import { callerOf } from '../../api/caller.js';
import { pageOf } from '../../api/pagination.js';
import { responses, WithId } from '../../api/schema.js';
import type { Server } from '../../api/server.js';
import { listDispatches, listDispatchesOf } from './dispatches.js';
import { DispatchRef, ListDispatches, ListPostDispatches } from './schema.js';

const tags = ['Dispatches'];

export function dispatchRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/dispatches',
    {
      schema: {
        operationId: 'listDispatches',
        tags,
        summary: 'List all publish attempts, newest first',
        querystring: ListDispatches,
        response: responses({ 200: pageOf(DispatchRef) }, 'validation_failed', 'busy'),
      },
    },
    (request) => listDispatches(app, callerOf(request), request.query),
  );

  server.get(
    '/api/v1/posts/:id/dispatches',
    {
      schema: {
        operationId: 'listPostDispatches',
        tags,
        summary: 'List the publish attempts of a post, newest first',
        params: WithId,
        querystring: ListPostDispatches,
        response: responses({ 200: pageOf(DispatchRef) }, 'validation_failed', 'not_found'),
      },
    },
    (request) => listDispatchesOf(app, callerOf(request), request.params.id, request.query),
  );
}

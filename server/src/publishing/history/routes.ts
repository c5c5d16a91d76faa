import type { App } from '../../app/app.js';
import { callerOf, callerWithAddressOf } from '../../request/caller.js';
import { exportResponses } from '../../request/exports.js';
import { pageOf } from '../../request/pagination.js';
import { dataEnvelope, responses, WithId } from '../../request/schema.js';
import type { Server } from '../../request/server.js';
import { getDispatch, listDispatches, listDispatchesOf } from './dispatches.js';
import { EXPORTED_DISPATCH_FIELDS, exportDispatches } from './export.js';
import { DispatchRef, ExportDispatches, ListDispatches, ListPostDispatches } from './schema.js';

const tags = ['Dispatches'];

export function dispatchRoutes(server: Server, app: App): void {
  server.get(
    '/api/v1/dispatches',
    {
      schema: {
        operationId: 'listDispatches',
        tags,
        summary: 'List all publish attempts, newest first',
        description:
          "Each attempt to publish a post is one dispatch, with its trigger, its outcome and the platform's own message. `total` is exact without filters and by `outcome`; with other filters, counting stops at 100,000, the last attempt that you can page to. With several filters, only the newest 100,000 attempts that match the first of these that you give are searched: `error_code`, `social_account_id`, `outcome`, `trigger`. `from` and `to` reach further back.",
        querystring: ListDispatches,
        response: responses({ 200: pageOf(DispatchRef) }, 'busy'),
      },
    },
    (request) => listDispatches(app, callerOf(request), request.query),
  );

  server.get(
    '/api/v1/dispatches/export',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportDispatches',
        tags,
        summary: 'Export publish attempts as CSV or NDJSON, newest first',
        description:
          'The response is streamed and shows one state of the log. An organization can run one export at a time: another one gets 503 `busy`. A client that stops reading for 20 seconds, or takes longer than 15 minutes, gets an incomplete response.',
        querystring: ExportDispatches,
        response: responses(exportResponses(EXPORTED_DISPATCH_FIELDS), 'busy'),
      },
    },
    (request, reply) => exportDispatches(app, callerWithAddressOf(request), request.query, reply),
  );

  server.get(
    '/api/v1/dispatches/:id',
    {
      schema: {
        operationId: 'getDispatch',
        tags,
        summary: 'Get a publish attempt',
        description:
          'Returns the attempt from the log, without querying the platform. To query the platform, poll publish-status.',
        params: WithId,
        response: responses({ 200: dataEnvelope(DispatchRef) }, 'not_found'),
      },
    },
    async (request) => ({ data: await getDispatch(app, callerOf(request), request.params.id) }),
  );

  server.get(
    '/api/v1/posts/:id/dispatches',
    {
      schema: {
        operationId: 'listPostDispatches',
        tags,
        summary: 'List the publish attempts of a post, newest first',
        description: 'All attempts to publish this post: manual, scheduled and automatic retries.',
        params: WithId,
        querystring: ListPostDispatches,
        response: responses({ 200: pageOf(DispatchRef) }, 'not_found'),
      },
    },
    (request) => listDispatchesOf(app, callerOf(request), request.params.id, request.query),
  );
}

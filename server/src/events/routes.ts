import { Type } from 'typebox';
import type { App } from '../api/app.js';
import { callerOf } from '../api/caller.js';
import { responses } from '../api/schema.js';
import type { Server } from '../api/server.js';
import { lastEventId, listEvents } from './events.js';
import { EventRef, ListEvents } from './schema.js';
import { createStreams, STREAM_TYPE } from './streams.js';

const STREAM_EXAMPLE =
  'event: changed\ndata: {"posts":["019a8b1e-6c00-7000-8000-3f2a9c1d7e55"],"accounts":false}\n\n';

export function eventRoutes(server: Server, app: App): void {
  const streams = createStreams(app);
  server.gauge('event_streams', 'Open streams of events', () => streams.count());
  // Before the server waits for requests to end: these would not.
  server.addHook('preClose', async () => streams.close());

  server.get(
    '/api/v1/events',
    {
      schema: {
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'What happened, oldest first, or as it happens',
        description:
          'Kept for 30 days. With `Accept: text/event-stream` a stream: events as they happen, each with its `id`, after `Last-Event-ID`, `after`, or from now on; and hints `event: changed` with data `{"posts":["<id>"],"accounts":false}`, which are not kept: something about these has changed, fetch it again. Fetch what you show whenever the stream opens.',
        querystring: ListEvents,
        response: responses(
          {
            200: {
              description: 'Events, or a stream of them',
              content: {
                'application/json': { schema: Type.Object({ data: Type.Array(EventRef) }) },
                [STREAM_TYPE]: { schema: Type.String({ examples: [STREAM_EXAMPLE] }) },
              },
            },
          },
          'validation_failed',
          'cursor_unknown',
        ),
      },
    },
    async (request, reply) => {
      const { accept = '', 'last-event-id': last } = request.headers;
      if (!accept.toLowerCase().includes(STREAM_TYPE))
        return reply.send({ data: await listEvents(app, callerOf(request), request.query) });
      // The header wins: a browser connects again with the address it had at first.
      const after = lastEventId(last) ?? request.query.after;
      if (request.method === 'HEAD') return reply.type(STREAM_TYPE).send();
      await streams.open(request, reply, after);
      return reply;
    },
  );
}

import { Type } from 'typebox';
import type { App } from '../app/app.js';
import { callerOf } from '../request/caller.js';
import { responses } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { lastEventId, listEvents } from './events.js';
import { EventPage, ListEvents } from './schema.js';
import { createStreams, STREAM_TYPE } from './streams.js';

const STREAM_EXAMPLE =
  'retry: 2000\nid: evt_000000000\nevent: ready\ndata: {}\n\nevent: changed\ndata: {"posts":["019a8b1e-6c00-7000-8000-3f2a9c1d7e55"],"accounts":false}\n\n';

export function eventRoutes(server: Server, app: App): void {
  const streams = createStreams(app);
  server.gauge('airdate_event_streams', 'Open event streams', () => streams.count());
  server.addHook('onListen', (done) => {
    void streams.listen();
    done();
  });
  // Before the server waits for open requests: streams would never end by themselves.
  server.addHook('preClose', async () => streams.close());

  server.get(
    '/api/v1/events',
    {
      // Sent as they were recorded: their types may have gained fields since, which the schema demands.
      serializerCompiler: () => (page) => JSON.stringify(page),
      schema: {
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'List events, oldest first, or stream them live',
        description:
          'Events are kept for 30 days. With `Accept: text/event-stream` the response is a stream. It starts after `Last-Event-ID` or `after`; without either, it starts with the next event. The first message is `event: ready` with data `{}`; its `id` is the position where the stream starts. Each event has an `id`. Between events, the stream carries change notices without an `id`: `event: changed` with data `{"posts":["<id>"],"accounts":false}` means that these posts, or the accounts, have changed and should be fetched again; `"labels":true`, `"snippets":true` and `"members":true` say the same of labels, snippets, and the members and their roles. Change notices are not stored, so refetch what you show whenever the stream opens. If events after the position have expired, the stream begins with the comment `: gap`.',
        querystring: ListEvents,
        response: responses(
          {
            200: {
              description: 'A list or a stream of events',
              content: {
                'application/json': { schema: EventPage },
                [STREAM_TYPE]: { schema: Type.String({ examples: [STREAM_EXAMPLE] }) },
              },
            },
          },
          'cursor_unknown',
        ),
      },
    },
    async (request, reply) => {
      const { accept = '', 'last-event-id': last } = request.headers;
      if (!accept.toLowerCase().includes(STREAM_TYPE))
        return reply.send(await listEvents(app, callerOf(request), request.query));
      // The header wins: a browser reconnects with the URL it started with.
      const after = lastEventId(last) ?? request.query.after;
      if (request.method === 'HEAD') return reply.type(STREAM_TYPE).send();
      await streams.open(request, reply, after);
      return reply;
    },
  );
}

// MCP over streamable HTTP: tools for agents, with an API key, at the address that clients expect. Every request stands alone.

import type { App } from '../../app/app.js';
import { AppError } from '../../core/problems.js';
import { callerWithAddressOf } from '../../request/caller.js';
import type { Server } from '../../request/server.js';
import { LongPolls } from './waits.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tool that an agent called, for the log. */
    tool: string | null;
  }
}

/** The headers that the protocol reads. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

export function mcpRoute(server: Server, app: App): void {
  const waits = new LongPolls();
  const open = new Set<AbortController>();
  let stopping = false;
  server.decorateRequest('tool', null);
  server.addHook('preClose', async () => {
    stopping = true;
    for (const ended of open) ended.abort();
  });

  server.post('/mcp', { schema: { hide: true } }, async (request, reply) => {
    const message = oneMessage(request.body);
    const { answerMessage, toolIn } = await import('./answer.js');
    request.tool = toolIn(message);
    const ended = new AbortController();
    if (stopping) ended.abort();
    open.add(ended);
    reply.raw.once('close', () => {
      open.delete(ended);
      ended.abort();
    });
    const call = {
      app,
      caller: callerWithAddressOf(request),
      requestId: request.id,
      ended: ended.signal,
      waits,
    };
    const headers = Object.fromEntries(
      HEADERS.flatMap((name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    );
    const response = await answerMessage(call, headers, message);
    const type = response.headers.get('content-type');
    if (type !== null) reply.header('content-type', type);
    return reply.code(response.status).send(await response.text());
  });
}

/** Several messages in one request would count as one request. */
function oneMessage(body: unknown): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new AppError('bad_request', 'Send one JSON-RPC message, as a JSON object.');
}

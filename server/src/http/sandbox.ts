// Passes requests below a prefix to the sandbox platform, which answers them itself: none of our headers, problems or
// parsers apply.
import type { IncomingMessage } from 'node:http';
import type { Sandbox } from '@airdate/sandbox/sandbox.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../request/server.js';

export function sandboxRoutes(server: Server, prefix: string, sandbox: Sandbox): void {
  // In this hook, because the framework would read the body after it. The chain ends here: `done` is never called.
  const handOver = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    const raw: IncomingMessage & { originalUrl?: string } = request.raw;
    // The framework reads the original URL from here; our log line shows it.
    raw.originalUrl = raw.url as string;
    raw.url = raw.originalUrl.replace(/^https?:\/\/[^/]*/i, '').slice(prefix.length);
    sandbox.handle(raw, reply.raw);
  };
  // For people who type the URL without the trailing slash.
  if (prefix !== '')
    server.get(prefix, { schema: { hide: true } }, async (_request, reply) =>
      reply.redirect(`${prefix}/`, 308),
    );
  for (const method of ['GET', 'POST', 'PUT'])
    server.route({
      method,
      url: `${prefix}/*`,
      schema: { hide: true },
      // Videos are sent with PUT; everything else is short.
      config: { takesFile: method === 'PUT', hasOwnLimits: true },
      onRequest: (request, reply) => handOver(request as never, reply as never),
      handler: async () => {},
    });
}

// Hands requests below a prefix over to the sandbox platform, which answers them itself: no header, problem or parser of
// ours applies to them.
import type { IncomingMessage } from 'node:http';
import type { Sandbox } from '@airdate/sandbox/sandbox.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../api/server.js';

export function sandboxRoutes(server: Server, prefix: string, sandbox: Sandbox): void {
  // In this hook, because after it the body would be read here. It is the last one: `done` is never called.
  const handOver = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    const raw: IncomingMessage & { originalUrl?: string } = request.raw;
    // The framework's name for the address as it came; our log line tells that one.
    raw.originalUrl = raw.url as string;
    raw.url = raw.originalUrl.replace(/^https?:\/\/[^/]*/i, '').slice(prefix.length);
    sandbox.handle(raw, reply.raw);
  };
  // Whoever types the address by hand leaves the slash away.
  if (prefix !== '')
    server.get(prefix, { schema: { hide: true } }, async (_request, reply) =>
      reply.redirect(`${prefix}/`, 308),
    );
  for (const method of ['GET', 'POST', 'PUT'])
    server.route({
      method,
      url: `${prefix}/*`,
      schema: { hide: true },
      config: { takesFile: true },
      onRequest: (request, reply) => handOver(request as never, reply as never),
      handler: async () => {},
    });
}

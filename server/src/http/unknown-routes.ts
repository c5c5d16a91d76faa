// The table of known addresses: a request for an unknown one, or with the wrong method, is refused before its body is
// read, with 404, or with 405 and an Allow header. A browser gets a page instead.
import type { FastifyReply, FastifyRequest } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { AppError } from '../core/problems.js';
import type { Server } from '../request/server.js';
import { pathOf } from './log-request.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Serves the 404 page for browsers; null where there are no pages. */
    notFoundPage: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | null;
  }
}

/** An id of any length that fits into a request is looked up like any other, and not found. */
export const MAX_PARAM_LENGTH = 100_000;

/** Call before the first route is added. */
export function rejectUnknownRoutes(server: Server): void {
  // The same router as Fastify's own, which does not tell the methods of a path.
  const router = findMyWay({ maxParamLength: MAX_PARAM_LENGTH });
  const methods = new Set<HTTPMethod>();
  server.addHook('onRoute', ({ url, method }) => {
    for (const one of [method].flat() as HTTPMethod[]) {
      methods.add(one);
      router.on(one, url, () => {});
    }
  });
  server.decorate('notFoundPage', null);
  // Also reached by routes that look for a file and find none.
  server.setNotFoundHandler(async (request, reply) => {
    if (server.notFoundPage && isVisit(request)) return server.notFoundPage(request, reply.code(404));
    throw noSuchAddress();
  });
  server.addHook('onRequest', (request: FastifyRequest, _reply: FastifyReply, done) => {
    if (!request.is404) return done();
    const path = pathOf(request.url);
    const known = [...methods].filter((method) => router.find(method, path) !== null);
    if (known.length === 0) return done(isVisit(request) ? undefined : noSuchAddress());
    const allow = known.sort().join(', ');
    done(new AppError('method_not_allowed', `This URL accepts only ${allow}.`, { headers: { allow } }));
  });
}

/** A browser that navigates; API clients do not ask for HTML. */
const isVisit = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  /\btext\/html\b/.test(headers.accept ?? '') &&
  !/^\/(api|assets)\//.test(url);

const noSuchAddress = () => new AppError('not_found', 'No such endpoint. All endpoints are listed at /docs.');

// The table of known addresses: a request for an unknown one, or with the wrong method, is refused before its body is
// read, with 404, or with 405 and an Allow header. A browser gets a page instead.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../api/server.js';
import { AppError } from '../ground/problems.js';
import { pathOf } from './log-request.js';

interface Address {
  pattern: RegExp;
  methods: Set<string>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Serves the 404 page for browsers; null where there are no pages. */
    notFoundPage: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | null;
  }
}

/** Call before the first route is added. */
export function refuseUnknownAddresses(server: Server): void {
  const addresses = new Map<string, Address>();
  server.addHook('onRoute', ({ url, method }) => {
    const address = addresses.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) address.methods.add(one);
    addresses.set(url, address);
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
    const known = [...addresses.values()].find(({ pattern }) => pattern.test(path));
    if (!known) return done(isVisit(request) ? undefined : noSuchAddress());
    const allow = [...known.methods].sort().join(', ');
    done(new AppError('method_not_allowed', `This URL accepts only ${allow}.`, { headers: { allow } }));
  });
}

/** A browser that navigates; API clients do not ask for HTML. */
const isVisit = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  /\btext\/html\b/.test(headers.accept ?? '') &&
  !/^\/(api|assets)\//.test(url);

const noSuchAddress = () => new AppError('not_found', 'No such endpoint. All endpoints are listed at /docs.');

/** `/api/v1/posts/:id` → any single segment in place of `:id`. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) =>
      part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.\\+*?[^\]$(){}=!<>|]/g, '\\$&'),
    );
  return new RegExp(`^${source.join('/')}$`);
}

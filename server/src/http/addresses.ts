// Which addresses there are, so that a request for none of them, or with a method that its address does not have, is
// refused before its body is read: 404, or 405 with an Allow header. A person who went astray gets a page.
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
    /** Answers a person at an address that does not exist; null where there are no pages. */
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
  server.decorate('pageForTheLost', null);
  // Also for routes that look for a file and find none.
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
    done(new AppError('method_not_allowed', `This address answers ${allow} only.`, { headers: { allow } }));
  });
}

/** Somebody who typed or followed an address, and no program: those do not ask for pages. */
const isVisit = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  /\btext\/html\b/.test(headers.accept ?? '') &&
  !/^\/(api|assets)\//.test(url);

const noSuchAddress = () =>
  new AppError('not_found', 'There is no such address. The addresses are listed at /docs.');

/** `/api/v1/posts/:id` → any one segment in the place of `:id`. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) =>
      part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.\\+*?[^\]$(){}=!<>|]/g, '\\$&'),
    );
  return new RegExp(`^${source.join('/')}$`);
}

// 405 for known addresses: each address refuses, with an Allow header, the methods it does not have.
import type { HTTPMethods } from 'fastify';
import { AppError } from '../problems.js';
import type { Server } from './server.js';

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export type MethodsByUrl = Map<string, Set<string>>;

/** Notes every address that is added from now on. */
export function collectMethods(server: Server): MethodsByUrl {
  const known: MethodsByUrl = new Map();
  server.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  return known;
}

/** Call when all addresses are there. */
export function refuseOtherMethods(server: Server, known: MethodsByUrl): void {
  for (const [url, methods] of [...known]) {
    const others = METHODS.filter((method) => !methods.has(method));
    if (url.includes('*') || others.length === 0) continue;
    const allow = [...methods].sort().join(', ');
    server.route({
      method: others,
      url,
      schema: { hide: true },
      config: { access: 'public' },
      // Before the body is read: what the body is like does not matter here.
      onRequest: async () => {
        throw new AppError('method_not_allowed', `This address answers ${allow} only.`, {
          headers: { allow },
        });
      },
      handler: async () => {},
    });
  }
}

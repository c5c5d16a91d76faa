// Serves the dashboard: one page for all of its addresses, and that page's files.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/app.js';
import { SCREENS } from '../request/access.js';
import type { Server } from '../request/server.js';

const BUILT = fileURLToPath(new URL('../../../../web/dist/', import.meta.url));

/** These file names never change, so browsers must revalidate them. */
const LOOSE = ['favicon.svg', 'color-scheme.js', 'NOTICES.txt'];

export async function dashboardRoutes(server: Server, app: App): Promise<void> {
  let policy: string | undefined;
  const hidden = { schema: { hide: true } };
  if (!existsSync(`${BUILT}index.html`)) {
    for (const url of SCREENS) server.get(url, hidden, sayNotBuilt);
    return;
  }
  await server.register(fastifyStatic, { root: BUILT, serve: false, preCompressed: true });
  const page = async (_request: FastifyRequest, reply: FastifyReply) => {
    // The public address is known only now: the port may have been chosen by the system.
    policy ??= policyFor(app);
    return reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-cache')
      .sendFile('index.html', { cacheControl: false });
  };
  for (const url of SCREENS) server.get(url, hidden, page);
  server.notFoundPage = page;
  for (const file of LOOSE)
    server.get(`/${file}`, hidden, (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile(file, { cacheControl: false }),
    );
  // Their names contain a content hash.
  server.get('/assets/*', hidden, (request, reply) =>
    reply.sendFile(`assets/${(request.params as { '*': string })['*']}`, { immutable: true, maxAge: '1y' }),
  );
}

/** Only our own scripts; pictures, videos and uploads also at the store's address. */
function policyFor(app: App): string {
  const store = new URL(app.store.signDownload('any', app.clock.now())).origin;
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The component library sets sizes and colours on the elements themselves.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    `img-src 'self' data: blob: ${store}`,
    `media-src 'self' blob: ${store}`,
    `connect-src 'self' ${store}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ].join('; ');
}

const NOT_BUILT = `<!doctype html><html lang="en"><title>Airdate</title>
<p>Airdate is running, but its dashboard has not been built. Run <code>npm run build</code> and start again.
The API is documented at <a href="/docs">/docs</a>.</p></html>`;

const sayNotBuilt = async (_request: FastifyRequest, reply: FastifyReply) =>
  reply.type('text/html; charset=utf-8').send(NOT_BUILT);

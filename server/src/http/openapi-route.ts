// The OpenAPI document as clients fetch it: with this installation's own address, compressed, and only if it has changed.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../request/app.js';
import { matchesIfNoneMatch, tagOfBytes } from '../request/conditional-requests.js';
import { cookieName } from '../request/cookie.js';
import type { Server } from '../request/server.js';
import { varyBy } from './headers.js';

interface Representation {
  bytes: Buffer;
  etag: string;
  headers: Record<string, string>;
}

export function documentRoute(server: Server, app: App): void {
  let made: ReturnType<typeof represent> | undefined;

  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    // The public address is known only now: the port may have been chosen by the system.
    made ??= represent(documentOf(server, app));
    const { plain, gzip } = await made;
    return send(request, reply, acceptsGzip(request.headers['accept-encoding']) ? gzip : plain);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, etag, headers }: Representation) {
  varyBy(reply, 'Accept-Encoding');
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (matchesIfNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.headers(headers).send(bytes);
}

/** The committed document, as this installation is reached. */
function documentOf(server: Server, app: App): string {
  const { components, ...document } = server.swagger() as OpenApi;
  const { session } = components.securitySchemes;
  return JSON.stringify({
    ...document,
    servers: [{ url: app.urls.publicUrl, description: 'This installation' }],
    components: {
      ...components,
      securitySchemes: {
        ...components.securitySchemes,
        session: { ...session, name: cookieName(app.config) },
      },
    },
  });
}

interface OpenApi {
  components: { securitySchemes: Record<'session', object> };
}

const TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** Strong ETags name bytes, so each representation has its own. */
async function represent(text: string): Promise<Record<'plain' | 'gzip', Representation>> {
  const bytes = Buffer.from(text);
  const etag = tagOfBytes(text);
  return {
    plain: { bytes, etag, headers: TYPE },
    gzip: {
      bytes: await promisify(gzip)(bytes, { level: 9 }),
      etag: etag.replace(/"$/, '-gzip"'),
      headers: { ...TYPE, 'content-encoding': 'gzip' },
    },
  };
}

/** RFC 9110, section 12.5.3: `q=0` refuses, and `*` stands for all that are not named. */
export function acceptsGzip(header = ''): boolean {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [, name, q = '1'] = /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+))?\s*$/.exec(part) ?? [];
    if (name !== undefined) weights.set(name, Number(q));
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

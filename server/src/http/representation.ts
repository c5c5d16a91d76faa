// A text that is made once and sent often: plain or compressed, each with its own ETag, and only if it has changed.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesIfNoneMatch, tagOfBytes } from '../request/conditional-requests.js';
import { varyBy } from './headers.js';

export interface Representation {
  bytes: Buffer;
  etag: string;
  headers: Record<string, string>;
}

/** Strong ETags name bytes, so each representation has its own. */
export async function represent(
  text: string,
  type: string,
): Promise<Record<'plain' | 'gzip', Representation>> {
  const bytes = Buffer.from(text);
  const etag = tagOfBytes(text);
  const headers = { 'content-type': `${type}; charset=utf-8` };
  return {
    plain: { bytes, etag, headers },
    gzip: {
      bytes: await promisify(gzip)(bytes, { level: 9 }),
      etag: etag.replace(/"$/, '-gzip"'),
      headers: { ...headers, 'content-encoding': 'gzip' },
    },
  };
}

export function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, gzip }: Record<'plain' | 'gzip', Representation>,
): FastifyReply {
  const { bytes, etag, headers } = acceptsGzip(request.headers['accept-encoding']) ? gzip : plain;
  varyBy(reply, 'Accept-Encoding');
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (matchesIfNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.headers(headers).send(bytes);
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

// Serves the documentation: its pages, the same pages as Markdown, and the files for language models.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/problems.js';
import type { App } from '../request/app.js';
import type { Server } from '../request/server.js';

const BUILT = fileURLToPath(new URL('../../../../docs/dist/site/', import.meta.url));

/** Only the site's own files; nothing inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export async function docsRoutes(server: Server, app: App): Promise<void> {
  const hidden = { schema: { hide: true } };
  if (!existsSync(join(BUILT, 'index.html'))) {
    server.get('/docs', hidden, sayNotBuilt);
    return;
  }
  if (!server.hasReplyDecorator('sendFile'))
    await server.register(fastifyStatic, { root: BUILT, serve: false, preCompressed: true });
  // Only names that are in it are looked up: no address leads out of the folder.
  const files = new Set(readdirSync(BUILT, { recursive: true }) as string[]);

  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = ((request.params as { '*'?: string })['*'] ?? '').replace(/\/$/, '') || 'index';
    // A page has two forms; an agent that does not ask for HTML gets the one it can read.
    varyByAccept(reply);
    const wantsMarkdown = /\btext\/markdown\b/.test(accepted(request)) && !isVisit(request);
    const name = [path, `${path}.${wantsMarkdown ? 'md' : 'html'}`].find(
      (one) => files.has(one) && /\.\w+$/.test(one),
    );
    if (name !== undefined) return sendDocument(reply, name);
    if (isVisit(request)) return sendDocument(reply.code(404), '404.html');
    throw new AppError(
      'not_found',
      'There is no such page of the documentation. They are listed in /llms.txt.',
    );
  };
  server.get('/docs', hidden, page);
  server.get('/docs/*', hidden, page);
  server.get('/llms-full.txt', hidden, (_request, reply) => sendDocument(reply, 'llms-full.txt'));
  server.get('/llms.txt', hidden, (_request, reply) => {
    // Agents read it far from here, so its links name this installation.
    const text = readFileSync(join(BUILT, 'llms.txt'), 'utf8').replaceAll('](/', `](${app.urls.publicUrl}/`);
    return reply.type('text/plain; charset=utf-8').send(text);
  });
}

/** A file of the site. */
function sendDocument(reply: FastifyReply, name: string): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-cache')
    .sendFile(name, BUILT, { cacheControl: false });
}

/** The page about a problem, for browsers; null for programs, and if the site is not built. */
export function problemPage(request: FastifyRequest, reply: FastifyReply, code: string): FastifyReply | null {
  varyByAccept(reply);
  const name = join('errors', `${code}.html`);
  return isVisit(request) && existsSync(join(BUILT, name)) ? sendDocument(reply, name) : null;
}

function varyByAccept(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept' : `${vary}, Accept`);
}

const accepted = ({ headers }: FastifyRequest): string => headers.accept ?? '';
const isVisit = (request: FastifyRequest): boolean => /\btext\/html\b/.test(accepted(request));

const NOT_BUILT = `<!doctype html><html lang="en"><title>Airdate documentation</title>
<p>The documentation has not been built. Run <code>npm run build</code> and start again.
Every operation of the API is at <a href="/docs/console">/docs/console</a>.</p></html>`;

const sayNotBuilt = async (_request: FastifyRequest, reply: FastifyReply) =>
  reply.type('text/html; charset=utf-8').send(NOT_BUILT);

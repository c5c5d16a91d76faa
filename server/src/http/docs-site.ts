// Serves the documentation: its pages, the same pages as Markdown, and the files for language models.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../app/app.js';
import { AppError, PROBLEMS, type ProblemCode } from '../core/problems.js';
import { problemResponses } from '../request/schema.js';
import type { Server } from '../request/server.js';
import { varyBy } from './headers.js';
import { ANY_ADDRESS, withOwnAddress } from './own-address.js';
import { represent, sendRepresentation } from './representation.js';

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
  const texts = new Map<string, ReturnType<typeof represent> | null>();

  /** A page with samples names this installation, and is kept as it is sent; others are sent as they were built. */
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    if (!texts.has(name)) texts.set(name, withSamples(name, app));
    const text = await texts.get(name);
    if (!text) return sendDocument(reply, name);
    return sendRepresentation(request, reply.header('content-security-policy', POLICY), text);
  };

  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = ((request.params as { '*'?: string })['*'] ?? '').replace(/\/$/, '') || 'index';
    // A page has two forms; an agent that does not ask for HTML gets the one it can read.
    varyBy(reply, 'Accept');
    const wantsMarkdown = /\btext\/markdown\b/.test(accepted(request)) && !isVisit(request);
    const name = [path, `${path}.${wantsMarkdown ? 'md' : 'html'}`].find(
      (one) => files.has(one) && /\.\w+$/.test(one),
    );
    if (name !== undefined) return send(request, reply, name);
    if (isVisit(request)) return sendDocument(reply.code(404), '404.html');
    throw new AppError(
      'not_found',
      'There is no such page of the documentation. They are listed in /llms.txt.',
    );
  };
  server.get('/docs', hidden, page);
  server.get('/docs/*', hidden, page);
  server.get('/llms-full.txt', hidden, (request, reply) => send(request, reply, 'llms-full.txt'));
  server.get('/llms.txt', hidden, (_request, reply) => {
    // Agents read it far from here, so its links name this installation.
    const text = readFileSync(join(BUILT, 'llms.txt'), 'utf8').replaceAll('](/', `](${app.urls.publicUrl}/`);
    return reply.type('text/plain; charset=utf-8').send(text);
  });
}

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', md: 'text/markdown', txt: 'text/plain' };

function withSamples(name: string, app: App): ReturnType<typeof represent> | null {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  const text = type === undefined ? '' : readFileSync(join(BUILT, name), 'utf8');
  if (type === undefined || !text.includes(ANY_ADDRESS)) return null;
  return represent(withOwnAddress(text, app.urls.publicUrl), type);
}

/** A file of the site. */
function sendDocument(reply: FastifyReply, name: string): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-cache')
    .sendFile(name, BUILT, { cacheControl: false });
}

const ProblemCodeInfo = Type.Object({
  data: Type.Object(
    { code: Type.String(), status: Type.Integer(), title: Type.String() },
    { examples: [{ code: 'not_found', status: 404, title: PROBLEMS.not_found[1] }] },
  ),
});

/** The `type` of every problem is a URL that explains its code. */
export function problemRoutes(server: Server): void {
  server.get(
    '/problems/:code',
    {
      schema: {
        operationId: 'getProblem',
        tags: ['Health'],
        summary: 'Look up a problem code',
        description:
          'The `type` of every problem is this URL. A browser gets the page of the documentation that explains it.',
        security: [],
        params: Type.Object({ code: Type.String() }),
        response: {
          200: {
            description: 'The problem with this code',
            content: {
              'application/json': { schema: ProblemCodeInfo },
              'text/html': { schema: Type.String({ examples: ['<!doctype html>'] }) },
            },
          },
          ...problemResponses(['not_found']),
        },
      },
    },
    async (request, reply) => {
      const { code } = request.params;
      if (!Object.hasOwn(PROBLEMS, code)) throw new AppError('not_found', 'There is no such problem code.');
      varyBy(reply, 'Accept');
      const page = join('errors', `${code}.html`);
      if (isVisit(request) && existsSync(join(BUILT, page))) return sendDocument(reply, page) as never;
      const [status, title] = PROBLEMS[code as ProblemCode];
      return { data: { code, status, title } };
    },
  );
}

const accepted = ({ headers }: FastifyRequest): string => headers.accept ?? '';
const isVisit = (request: FastifyRequest): boolean => /\btext\/html\b/.test(accepted(request));

const NOT_BUILT = `<!doctype html><html lang="en"><title>Airdate documentation</title>
<p>The documentation has not been built. Run <code>npm run build</code> and start again.
Every operation of the API is at <a href="/docs/console">/docs/console</a>.</p></html>`;

const sayNotBuilt = async (_request: FastifyRequest, reply: FastifyReply) =>
  reply.type('text/html; charset=utf-8').send(NOT_BUILT);

// The HTTP application: its edge, and the list of everything it answers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { accountRoutes } from '../accounts/routes.js';
import { analyticsRoutes } from '../analytics/routes.js';
import type { App } from '../app.js';
import { keyRoutes } from '../keys/routes.js';
import { adminRoutes, organizationRoutes } from '../organizations/routes.js';
import { postRoutes } from '../posts/routes.js';
import { AppError } from '../problems.js';
import { sandboxRoutes } from '../sandbox/sandbox.js';
import { accessOf } from './access.js';
import { identify } from './caller.js';
import { dashboardRoutes } from './dashboard.js';
import { describeApi, documentRoute } from './documentation.js';
import { headersFor } from './headers.js';
import { type HealthParts, healthRoutes } from './health.js';
import { createMetrics, type Metrics } from './metrics.js';
import { collectMethods, refuseOtherMethods } from './other-methods.js';
import { replyWithProblem } from './problem-reply.js';
import { problemRoutes } from './problem-routes.js';
import { limitRate } from './rate-limit.js';
import { createValidator, readJson } from './validation.js';

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Metrics;
  }
}

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const BODY_LIMIT = 1024 * 1024;

/** The whole API. `withSandbox` mounts the built-in platform under /sandbox. */
export async function buildServer(app: App, health: HealthParts, withSandbox: boolean): Promise<Server> {
  const server = bareServer(app);
  server.addHook('onRoute', (route) => {
    const access = route.config?.access ?? accessOf(String(route.method), route.url);
    if (access === undefined) throw new Error(`${route.method} ${route.url} has no row in http/access.ts`);
    route.config = { ...route.config, access };
  });
  server.addHook('onRequest', identify(app));
  await limitRate(server, app);
  await describeApi(server);
  const known = collectMethods(server);

  postRoutes(server, app);
  analyticsRoutes(server, app);
  accountRoutes(server, app);
  keyRoutes(server, app);
  organizationRoutes(server, app);
  adminRoutes(server, app);
  healthRoutes(server, health);
  documentRoute(server);
  problemRoutes(server);
  dashboardRoutes(server);
  if (withSandbox) sandboxRoutes(server, '/sandbox');
  refuseOtherMethods(server, known);
  return server;
}

/** A server that answers nothing yet: request ids, logs, headers, strict bodies and problems are in place. */
export function bareServer(app: Pick<App, 'config' | 'log'>): Server {
  const server = fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    // One line per request, written below, instead of the framework's two.
    logController: new LogController({ disableRequestLogging: true }),
    // The same log for all requests: a child of its own for each cost more than the line it writes.
    childLoggerFactory: (log) => log,
    genReqId: requestIds(),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    trustProxy: app.config.trustProxy,
    // A client that stops sending is cut off; one that sends slowly has a minute.
    requestTimeout: 60_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 500 },
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      return replyWithProblem(error, request, reply as never);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.decorateRequest('caller', null);
  server.decorate('metrics', createMetrics());
  readJson(server as never);
  server.setValidatorCompiler(createValidator() as never);
  server.setErrorHandler(replyWithProblem);
  server.setNotFoundHandler(() => {
    throw new AppError('not_found', 'There is no such address. The addresses are listed at /docs.');
  });
  server.addHook('onRequest', headersFor(app.config));
  server.addHook('onResponse', (request, reply, done) => {
    server.metrics.observeRequest(request, reply);
    app.log.info(
      {
        request_id: request.id,
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.caller ? { org_id: request.caller.orgId, key_id: request.caller.keyId } : {}),
      },
      'request',
    );
    done();
  });
  return server as Server;
}

/** Short and unique in practice: a random start for the process, then a count. */
function requestIds(): () => string {
  const start = Math.random().toString(36).slice(2, 10).padEnd(8, '0');
  let count = 0;
  return () => `req_${start}${(count++).toString(36)}`;
}

/** Query strings stay out of the log: signed addresses carry their secret there. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** What is no HTTP at all never reaches a route; it gets the same kind of answer. */
function clientErrorHandler(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [code, phrase, detail] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ([
          'header_fields_too_large',
          '431 Request Header Fields Too Large',
          'The headers are too large.',
        ] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? (['request_timeout', '408 Request Timeout', 'The request did not arrive in time.'] as const)
        : (['bad_request', '400 Bad Request', 'This is not a well-formed HTTP request.'] as const);
  const status = Number(phrase.slice(0, 3));
  const body = JSON.stringify({ type: `/problems/${code}`, title: phrase.slice(4), status, detail, code });
  socket.end(
    `HTTP/1.1 ${phrase}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

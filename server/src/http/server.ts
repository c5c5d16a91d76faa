// The HTTP application: its edge, and all of its routes.

import type { IncomingMessage } from 'node:http';
import type { Sandbox } from '@airdate/sandbox/sandbox.js';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import { Type } from 'typebox';
import type { App } from '../app/app.js';
import { takeUpload } from '../assets/take-upload.js';
import { countRefusedToken } from '../audit/record.js';
import type { Config } from '../config/config.js';
import { VERSION } from '../core/build.js';
import { HOUR_MS } from '../core/durations.js';
import { createLog } from '../core/log.js';
import { addBuildInfo } from '../core/meters.js';
import type { DiskStore } from '../object-store/disk/disk.js';
import { areSlidesKnown } from '../publishing/attempt/slide-server.js';
import { MEDIA_PATH } from '../publishing/attempt/snapshot.js';
import { accessOf, STEP_UP } from '../request/access.js';
import { identify, senderOf } from '../request/caller.js';
import type { Server } from '../request/server.js';
import { apiRoutes, NO_APP } from './api-routes.js';
import { type Connections, createConnections } from './connections.js';
import { dashboardRoutes } from './dashboard.js';
import { announceDeprecations } from './deprecation.js';
import { diskRoutes } from './disk-routes.js';
import { docsRoutes, problemRoutes } from './docs-site.js';
import { addEtags } from './etags.js';
import { forwardedAddresses } from './forwarded.js';
import { allowOrigins, setHeaders } from './headers.js';
import { type HealthDeps, healthRoutes } from './health.js';
import { knownHostsHook } from './hosts.js';
import { logRequest } from './log-request.js';
import { mcpRoute } from './mcp/route.js';
import { createMetrics, type Metrics, metricsRoute } from './metrics.js';
import { describeApi, openApiText } from './openapi.js';
import { documentRoute } from './openapi-route.js';
import { operatorGauges } from './operator-gauges.js';
import { limitPipelining } from './pipelining.js';
import { replyWithProblem } from './problem-reply.js';
import { createTries, limitRate } from './rate-limit.js';
import { requestIds } from './request-ids.js';
import { fairSchedulingHook, type Sender } from './request-scheduler.js';
import { traceRequests } from './request-spans.js';
import { sandboxRoutes } from './sandbox.js';
import { MAX_PARAM_LENGTH, rejectUnknownRoutes } from './unknown-routes.js';
import { limitUnsent } from './unread.js';
import { createValidator, queryEncodingHook, readJson } from './validation.js';

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Metrics;
    connections: Connections;
  }
}

/** The limit for JSON bodies, more than any request of the API needs. Files have separate limits. */
const BODY_LIMIT = 64 * 1024;
const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });

/** Slides of attempts that are known here come first. Anyone can ask for others, so they count like every request. */
function senderOrSlideOf(app: App): (request: FastifyRequest) => Sender {
  const senderIn = senderOf(app);
  return (request) => {
    const nonce = request.routeOptions.url?.startsWith(MEDIA_PATH)
      ? (request.params as { nonce?: string }).nonce
      : undefined;
    return nonce !== undefined && areSlidesKnown(app, nonce)
      ? { key: nonce, isSlide: true }
      : { key: senderIn(request) };
  };
}

/** The whole API, with the built-in sandbox under /sandbox if there is one. */
export async function buildServer(app: App, health: HealthDeps, sandbox: Sandbox | null): Promise<Server> {
  const server = bareServer(app, fairSchedulingHook(senderOrSlideOf(app)));
  assertRoutesHaveAccess(server);
  server.addHook(
    'onRequest',
    identify(app, (address) => countRefusedToken(app, address)),
  );
  await limitRate(server, app);
  limitUnsent(server);
  await describeApi(server);
  addEtags(server);
  announceDeprecations(server);

  apiRoutes(server, app);
  mcpRoute(server, app);
  if (app.store.kind === 'disk')
    diskRoutes(server, app, app.store as DiskStore, (...put) => takeUpload(app, ...put));
  healthRoutes(server, health);
  metricsRoute(server, app.config);
  operatorGauges(server, app, health.worker);
  documentRoute(server, app);
  problemRoutes(server);
  await dashboardRoutes(server, app);
  await docsRoutes(server, app);
  if (sandbox) sandboxRoutes(server, '/sandbox', sandbox);
  return server;
}

/** The OpenAPI document, made of the same routes, without an App. */
export async function describeServer(config: Config): Promise<string> {
  const server = bareServer({ config, log: createLog({ level: 'silent', human: false }) });
  assertRoutesHaveAccess(server);
  await describeApi(server);
  apiRoutes(server, NO_APP);
  healthRoutes(server, { app: null, worker: () => null, isStopping: () => false });
  metricsRoute(server, config);
  problemRoutes(server);
  await server.ready();
  const text = openApiText(server);
  await server.close();
  return text;
}

/** A route without a row in the access table does not start. */
function assertRoutesHaveAccess(server: Server): void {
  server.addHook('onRoute', (route) => {
    const access = accessOf(String(route.method), route.url);
    if (access === undefined) throw new Error(`${route.method} ${route.url} has no row in request/access.ts`);
    const stepUp = STEP_UP[`${route.method} ${route.url}`];
    route.config = { ...route.config, access, stepUp };
    // A route without declared parameters refuses all of them as unknown.
    if (route.url.startsWith('/api/')) route.schema = { querystring: NO_PARAMETERS, ...route.schema };
  });
}

/** What a process without the product's parts lacks is not counted or traced. */
type Bare = Pick<App, 'config' | 'log'> & Partial<Pick<App, 'meters' | 'spans' | 'rates'>>;

/** A server without routes: request ids, logs, headers, strict bodies and problems are in place. */
export function bareServer(app: Bare, start?: onRequestHookHandler): Server {
  const { trustedProxies } = app.config;
  const newRequestId = requestIds(trustedProxies);
  const readForwarded = forwardedAddresses(trustedProxies);
  const connections = createConnections(newRequestId);
  const metrics = createMetrics(app.meters?.registry);
  addBuildInfo(metrics.registry, buildOf(app.config));
  const withHeaders = setHeaders(app.config);
  const withOrigins = allowOrigins(app.config);
  const writeLine = logRequest(app.log, metrics);
  const server = fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    // One line per request, written below, instead of the framework's two.
    logController: new LogController({ disableRequestLogging: true }),
    // All requests share one logger: a child logger per request cost more than the line it writes.
    childLoggerFactory: (log) => log,
    genReqId: (request) => {
      // The first that sees a request: everything behind it reads the client's address from this header.
      readForwarded(request as IncomingMessage);
      return newRequestId(request as IncomingMessage);
    },
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    bodyLimit: BODY_LIMIT,
    schemaController: { compilersFactory: { buildSerializer: buildSerializerLazily() } },
    // For uploads of files; every other body has a minute (see connections.ts).
    requestTimeout: 2 * HOUR_MS,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    clientErrorHandler: connections.clientErrorHandler,
    http: { requireHostHeader: false },
    // A request that was on its way when the stop began is answered normally.
    return503OnClosing: false,
    // URLs that cannot be decoded fail here, before any hook.
    frameworkErrors: (error, request, reply: FastifyReply) => {
      withHeaders(request as never, reply, () => {});
      withOrigins(request as never, reply, () => {});
      reply.raw.once('finish', () => writeLine(request as never, reply, () => {}));
      return replyWithProblem(error, request as never, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.decorateRequest('caller', null);
  server.decorate('limitTries', createTries(app));
  server.decorate('metrics', metrics);
  server.decorate('gauge', metrics.gauge);
  readJson(server as never);
  server.setValidatorCompiler(createValidator() as never);
  server.setErrorHandler(replyWithProblem);
  server.decorate('connections', connections);
  if (app.spans?.areRecorded) traceRequests(server as Server, trustedProxies);
  server.addHook('onRequest', withHeaders);
  limitPipelining(server.server);
  connections.watch(server as Server);
  if (start) server.addHook('onRequest', start);
  server.addHook('onRequest', knownHostsHook(app.config));
  server.addHook('onRequest', withOrigins);
  rejectUnknownRoutes(server as Server);
  server.addHook('onRequest', queryEncodingHook);
  server.addHook('onResponse', writeLine);
  return server as Server;
}

type Serializer = (data: unknown) => string;
const serializers = new Map<string, Serializer>();

function shared(schema: string, compile: () => Serializer): Serializer {
  const known = serializers.get(schema) ?? compile();
  serializers.set(schema, known);
  return known;
}

type BuildSerializer = NonNullable<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>['buildSerializer']
>;

/**
 * Response serializers, compiled when a route first answers and not at the start. A route declares a dozen responses and most are
 * problems, which are sent as text: of 666 serializers 77 are ever used. The servers of a process share them, because the schemas
 * that they refer to are the same; tests start hundreds.
 */
function buildSerializerLazily(): BuildSerializer {
  const build = SerializerSelector() as BuildSerializer;
  return (schemas, options) => {
    const compile = build(schemas, options);
    return (route) => {
      let serialize: ReturnType<typeof compile> | undefined;
      return (data) => {
        serialize ??= shared(JSON.stringify(route.schema), () => compile(route));
        return serialize(data);
      };
    };
  };
}

const buildOf = ({ command, databaseUrl, s3 }: Config) => ({
  version: VERSION,
  node: process.versions.node,
  role: command,
  database: databaseUrl === null ? 'sqlite' : 'postgres',
  files: s3 === null ? 'disk' : 's3',
});

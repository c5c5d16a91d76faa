// Prometheus metrics. Labels are route patterns and statuses, never ids or organizations.
//
// On one machine everyone on it may read them; elsewhere a monitor with METRICS_TOKEN, or with access to the port that METRICS_PORT
// opens for them alone.
import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import type { Config } from '../config/config.js';
import { addGauge } from '../core/meters.js';
import { AppError, unauthorized } from '../core/problems.js';
import { countAndThrow, MAX_WRONG_TOKENS } from '../request/caller.js';
import type { AddGauge, Server } from '../request/server.js';
import { createLatencies } from './latencies.js';
import { asAppError } from './problem-reply.js';

export interface Metrics {
  /** The metrics of the server alone. */
  registry: Registry;
  /** Everything that the process shows, as text. */
  scrape(): Promise<string>;
  observeRequest(request: FastifyRequest, reply: FastifyReply): void;
  gauge: AddGauge;
}

/** `counted`: what the rest of the process counts. */
export function createMetrics(counted?: Registry): Metrics {
  const registry = new Registry();
  const latencies = createLatencies();
  registry.registerMetric(latencies.metric);
  return {
    registry,
    scrape: async () => (await registry.metrics()) + ((await counted?.metrics()) ?? ''),
    observeRequest({ method, routeOptions }, { statusCode, elapsedTime }) {
      latencies.observe(method, routeOptions.url ?? 'unknown', statusCode, elapsedTime);
    },
    gauge: (...gauge) => addGauge(registry, ...gauge),
  };
}

/** Wrong tokens are counted by their address. The right one is accepted all the same. */
const SEND_TOKEN = () => unauthorized('Send the metrics token as "Authorization: Bearer <METRICS_TOKEN>".');

export function metricsRoute(server: Server, config: Config): void {
  server.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (config.metricsPort !== null || !(config.isLoopbackOnly || config.metricsToken !== null))
      throw new AppError('not_found', 'No such endpoint. All endpoints are listed at /docs.');
    if (!isAllowed(config, request.raw))
      return countAndThrow(request, 'metrics', MAX_WRONG_TOKENS, SEND_TOKEN());
    const { registry, scrape } = server.metrics;
    return reply.header('content-type', registry.contentType).send(await scrape());
  });
}

/** Listens on METRICS_PORT, if it is set. Returns how to stop. */
export async function listenForScrapes(server: Server, config: Config): Promise<() => Promise<void>> {
  if (config.metricsPort === null) return async () => {};
  const { registry, scrape } = server.metrics;
  const monitors = createServer(async (request, response) => {
    const isAsked = request.method === 'GET' && request.url === '/metrics';
    if (!isAsked) return void response.writeHead(404).end();
    if (!isAllowed(config, request)) {
      const guess = { server, ip: request.socket.remoteAddress ?? '' };
      const refusal = await countAndThrow(guess, 'metrics', MAX_WRONG_TOKENS, SEND_TOKEN()).catch(asAppError);
      return void response.writeHead(refusal.status, refusal.headers).end();
    }
    response.writeHead(200, { 'content-type': registry.contentType }).end(await scrape());
  });
  monitors.listen(config.metricsPort, config.host);
  await once(monitors, 'listening');
  return async () => {
    monitors.closeAllConnections();
    monitors.close();
  };
}

function isAllowed({ metricsToken }: Config, { headers }: IncomingMessage): boolean {
  if (metricsToken === null) return true;
  const [, token = ''] = /^bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return timingSafeEqual(digest(token), digest(metricsToken));
}

const digest = (text: string) => hash('sha256', text, 'buffer');

// Prometheus metrics. Labels are route patterns and statuses, never ids or organizations.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { addGauge } from '../core/meters.js';
import type { AddGauge } from '../request/server.js';
import { createLatencies } from './latencies.js';

export interface Metrics {
  /** Of the server alone. */
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

// Prometheus metrics. Labels are route patterns and statuses, never ids or organizations.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Gauge, Registry } from 'prom-client';
import type { AddGauge } from '../api/server.js';
import { createLatencies } from './latencies.js';

export interface Metrics {
  registry: Registry;
  observeRequest(request: FastifyRequest, reply: FastifyReply): void;
  gauge: AddGauge;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const latencies = createLatencies();
  registry.registerMetric(latencies.metric);
  return {
    registry,
    observeRequest({ method, routeOptions }, { statusCode, elapsedTime }) {
      latencies.observe(method, routeOptions.url ?? 'unknown', statusCode, elapsedTime);
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
  };
}

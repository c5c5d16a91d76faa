// Prometheus metrics. Labels are route patterns and statuses, never ids or organizations.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Gauge, Histogram, Registry } from 'prom-client';
import type { AddGauge } from '../api/server.js';

export interface Metrics {
  registry: Registry;
  observeRequest(request: FastifyRequest, reply: FastifyReply): void;
  gauge: AddGauge;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  // Finding a labelled child costs more than the observation itself, so children are cached.
  const children = new Map<string, ReturnType<typeof durations.labels>>();
  return {
    registry,
    observeRequest(request, reply) {
      const route = request.routeOptions.url ?? 'unknown';
      const name = `${request.method} ${route} ${reply.statusCode}`;
      let child = children.get(name);
      if (!child) {
        child = durations.labels(request.method, route, String(reply.statusCode));
        children.set(name, child);
      }
      child.observe(reply.elapsedTime / 1000);
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

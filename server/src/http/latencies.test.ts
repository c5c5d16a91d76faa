import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { createLatencies } from './latencies.js';

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

describe('The histogram of response times', () => {
  it('shows exactly what the library itself would show', async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const latencies = createLatencies();
    ours.registerMetric(latencies.metric);
    const histogram = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request to its response',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: BOUNDS,
      registers: [theirs],
    });
    const times = [
      0, 0.4, 1, 1.0001, 2.5, 2.6, 7, 10, 99.999, 100, 250.5, 1000, 4999, 10_000, 10_000.1, 60_000,
    ];
    for (const ms of times)
      for (const [method, route, status] of [
        ['GET', '/a', 200],
        ['GET', '/a', 404],
        ['POST', '/a', 200],
        ['GET', '/b', 200],
      ] as const) {
        latencies.observe(method, route, status, ms);
        histogram.labels(method, route, String(status)).observe(ms / 1000);
      }
    const lines = (text: string) => text.trim().split('\n').sort();
    assert.deepEqual(lines(await ours.metrics()), lines(await theirs.metrics()));
  });
});

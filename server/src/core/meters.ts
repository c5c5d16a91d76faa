// What a process counts and times for /metrics. Created once in open-app.ts and passed on. Labels come from short lists of ours,
// never from ids, organizations or texts of others.
import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';

export interface ProcessMetrics {
  readonly registry: Registry;
  /** `code` is one of a known list; empty for a success. */
  attemptEnded(outcome: string, code: string): void;
  /** The platform has accepted a scheduled post this long after its slot. */
  acceptedAfter(ms: number): void;
  platformCalled(call: string, result: string, ms: number): void;
  /** Makes a loop visible before its first failure, so that a monitor sees the increase. */
  loopStarted(loop: string): void;
  loopFailed(loop: string): void;
}

/** The buckets of the lateness: from a punctual post to one that is about to miss its slot. */
const LATENESS_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 21_600];

/** The buckets of the platform's time: from a quick answer to the deadline of a large chunk. */
const PLATFORM_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120];

export function createProcessMetrics(): ProcessMetrics {
  const registry = new Registry();
  const registers = [registry];
  const attempts = new Counter({
    name: 'airdate_attempts_total',
    help: 'Attempts to publish that have ended',
    labelNames: ['outcome', 'code'],
    registers,
  });
  const lateness = new Histogram({
    name: 'airdate_publish_lateness_seconds',
    help: 'Time from the slot of a scheduled post until the platform accepted it',
    buckets: LATENESS_SECONDS,
    registers,
  });
  const platform = new Histogram({
    name: 'airdate_platform_seconds',
    help: 'Time of calls to the platform',
    labelNames: ['call', 'result'],
    buckets: PLATFORM_SECONDS,
    registers,
  });
  const failures = new Counter({
    name: 'airdate_loop_failures_total',
    help: 'Failed runs of background loops, and failures of the work that they began',
    labelNames: ['loop'],
    registers,
  });
  // A monitor sees an increase only if it has seen the counter before.
  for (const outcome of ['failed', 'missed']) attempts.inc({ outcome, code: 'slot_missed' }, 0);
  return {
    registry,
    attemptEnded: (outcome, code) => attempts.inc({ outcome, code }),
    // Clocks of hosts differ a little: a post is never early.
    acceptedAfter: (ms) => lateness.observe(Math.max(0, ms) / 1000),
    platformCalled: (call, result, ms) => platform.observe({ call, result }, ms / 1000),
    loopStarted: (loop) => failures.inc({ loop }, 0),
    loopFailed: (loop) => failures.inc({ loop }),
  };
}

/** A figure, or one for each value of a label; null if it is not known at the moment. */
export type GaugeValue = number | Readonly<Record<string, number>> | null;

/** Adds a figure that is read at each scrape. One that is not known has no sample: 0 would be a lie. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => GaugeValue | Promise<GaugeValue>,
  label = '',
): void {
  const samplesOf = (reading: GaugeValue) => {
    if (reading === null) return [];
    if (typeof reading === 'number') return [{ value: reading, labels: {} }];
    return Object.entries(reading).map(([of, value]) => ({ value, labels: { [label]: of } }));
  };
  const metric = {
    name,
    async get() {
      return { name, help, type: 'gauge', aggregator: 'max', values: samplesOf(await read()) };
    },
  };
  // The library's own gauges show 0 if they have no label and no value.
  registry.registerMetric(metric as unknown as Metric);
}

/** A constant 1 whose labels tell which program runs. */
export function addBuildInfo(registry: Registry, labels: Readonly<Record<string, string>>): void {
  const info = new Gauge({
    name: 'airdate_build_info',
    help: 'Which program this process runs',
    labelNames: Object.keys(labels),
    registers: [registry],
  });
  info.set({ ...labels }, 1);
}

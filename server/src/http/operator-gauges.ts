// Figures for the operator, read at each scrape. Those of the database are shared by all gauges of a scrape and kept for some
// seconds, and only one reading runs at a time: however often and by however many monitors a process is scraped, the database
// notices little of it. A scrape waits for a limited time, and then has the figures that were read by then.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app/app.js';
import { toLogFields } from '../core/log.js';
import { type OperatorMetrics, readOperatorMetrics } from '../operator/metrics.js';
import type { Server } from '../request/server.js';
import type { Worker } from '../worker/worker.js';
import { DISK_FULL, diskCheck } from './health.js';

const TTL_MS = 3_000;
const WITHIN_MS = 2_000;
/** Urgent figures are shown while slow counts follow them: for longer than these take, and not for ever if the database hangs. */
const SHOWN_MS = 12_000;

export function operatorGauges(server: Server, app: App, worker: () => Worker | null): void {
  const metrics = sharedMetrics(app);
  const shown =
    <T extends number | Record<string, number>>(pick: (read: OperatorMetrics) => T | undefined) =>
    async () => {
      const read = await metrics();
      return (read && pick(read)) ?? null;
    };
  const ofDatabase = [
    ['airdate_due_posts', 'Scheduled posts whose time has come', (read) => read.duePosts],
    [
      'airdate_oldest_due_seconds',
      'How long the oldest of them has been due',
      (read) => read.oldestDueSeconds,
    ],
    ['airdate_unknown_open', 'Attempts whose outcome is unknown', (read) => read.unknownOpen],
    ['airdate_webhook_backlog', 'Deliveries to webhooks that are due', (read) => read.webhookBacklog],
    ['airdate_workers', 'Workers with a fresh heartbeat', (read) => read.workers],
  ] as const satisfies [string, string, (read: OperatorMetrics) => number | undefined][];
  for (const [name, help, pick] of ofDatabase) server.gauge(name, help, shown(pick));
  server.gauge(
    'airdate_queue_depth',
    'Background work that is due, by queue',
    shown(({ queues }) => queues),
    'queue',
  );
  server.gauge('airdate_database_up', 'Whether the figures of the database could be read', async () =>
    (await metrics()) ? 1 : 0,
  );

  server.gauge(
    'airdate_db_pool',
    'Connections to the database, and work that waits for one',
    () => ({ ...app.db.connections() }),
    'state',
  );
  server.gauge('airdate_safe_mode', 'Whether the service is in safe mode', () =>
    app.safety.mode.kind === 'safe' ? 1 : 0,
  );
  server.gauge('airdate_limiter_local', 'Whether requests are counted here although Redis should', () =>
    app.rates.isLocal() ? 1 : 0,
  );
  const askDisk = diskCheck(app);
  server.gauge('airdate_disk_full', 'Whether the disk of DATA_DIR is full', async () =>
    (await askDisk()).mistake === DISK_FULL ? 1 : 0,
  );
  if (app.config.command !== 'api')
    server.gauge(
      'airdate_silent_loops',
      'Background loops without a recent success',
      () => worker()?.silentLoops().length ?? 0,
    );
}

/** Null if the database does not answer in time. */
function sharedMetrics(app: App): () => Promise<OperatorMetrics | null> {
  const nothing: { metrics: OperatorMetrics | null; until: number } = { metrics: null, until: 0 };
  let last = nothing;
  /** The figures of the reading in progress, as far as it has come. */
  let partial = nothing;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    partial = nothing;
    try {
      await readOperatorMetrics(app, (metrics) => {
        partial = { metrics, until: performance.now() + SHOWN_MS };
      });
    } catch (err) {
      app.log.warn(toLogFields(err), 'the figures for /metrics could not be read');
    }
    last = { metrics: partial.metrics, until: performance.now() + TTL_MS };
    reading = null;
  }

  return async () => {
    if (performance.now() < last.until) return last.metrics;
    reading ??= read();
    const late = new AbortController();
    const tooLate = delay(WITHIN_MS, 'late', late).catch(() => 'late');
    const result = await Promise.race([reading, tooLate]);
    late.abort();
    if (result !== 'late') return last.metrics;
    return performance.now() < partial.until ? partial.metrics : null;
  };
}

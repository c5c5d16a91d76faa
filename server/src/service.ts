// One running process: which parts a command runs, how they start, and how they stop.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxOptions } from '@airdate/sandbox/platform.js';
import { openSandbox, type Sandbox } from '@airdate/sandbox/sandbox.js';
import { CALLBACK_PATH } from './accounts/connect.js';
import type { App } from './app/app.js';
import type { Config } from './config/config.js';
import { waitWithTimeout } from './core/concurrency.js';
import type { Log } from './core/log.js';
import { createTeardown, type Teardown } from './core/teardown.js';
import { connectDemoAccount, createDemo, type Demo, linkForOwner } from './demo.js';
import { type HealthDeps, healthRoutes } from './http/health.js';
import { listen } from './http/listen.js';
import { listenForScrapes, metricsRoute } from './http/metrics.js';
import { operatorGauges } from './http/operator-gauges.js';
import { sandboxRoutes } from './http/sandbox.js';
import { bareServer, buildServer } from './http/server.js';
import { appOfWorker, clientSecretOf, type Overrides, openApp, openLog } from './open-app.js';
import type { Server } from './request/server.js';
import { startWorker, type Worker } from './worker/worker.js';

export interface Service {
  /** Where it listens, with the real port. */
  readonly url: string;
  /** Null in the sandbox, which is no part of the product. */
  readonly app: App | null;
  readonly server: Server;
  readonly log: Log;
  /** Set if this start created the demo organization. */
  readonly demo: Demo | null;
  /** Signs the owner of the demo organization in, once; null if an owner has a password. */
  readonly entryLink: string | null;
  /**
   * Says in /readyz that it stops, and claims no more work, but serves on for SHUTDOWN_DELAY_SECONDS: a load balancer may take
   * that long to notice.
   */
  retire(): Promise<void>;
  /** Finishes running work and releases everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** How long new requests are still accepted while the worker finishes. */
const WORKER_FIRST_MS = 4_000;

export async function startService(config: Config, overrides: Overrides = {}): Promise<Service> {
  const teardown = createTeardown();
  try {
    return await (config.command === 'sandbox'
      ? startSandbox(config, overrides, teardown)
      : startProduct(config, overrides, teardown));
  } catch (error) {
    await teardown.run().catch(() => {});
    throw error;
  }
}

async function startProduct(config: Config, overrides: Overrides, teardown: Teardown): Promise<Service> {
  const app = await openApp(config, overrides);
  teardown.add(() => app.close());
  teardown.add(() => app.safety.signOff());
  let worker: Worker | null = null;
  let isRetired = false;
  const health: HealthDeps = {
    app,
    worker: () => worker,
    isStopping: () => isRetired || teardown.hasBegun,
  };
  const withSandbox = config.command === 'serve' && config.socialApiUrl === null;
  const sandbox = withSandbox
    ? await openOwnSandbox(config, overrides, app.log, {
        publicUrl: () => `${app.urls.publicUrl}/sandbox`,
        webhookUrl: () => config.sandbox.webhookUrl ?? `${app.urls.ownUrl}/webhooks/social`,
        mounted: {
          callbackUrl: () => `${app.urls.publicUrl}${CALLBACK_PATH}`,
          mediaOrigin: () => new URL(app.urls.publicUrl).origin,
        },
      })
    : null;
  teardown.add(() => sandbox?.close());
  // The worker stops first: while it publishes, the platform fetches slides from our server, which may also run the sandbox.
  let workerStopped: Promise<void> | undefined;
  const stopWorker = () => {
    workerStopped ??= worker?.stop();
    return workerStopped;
  };
  teardown.add(() => workerStopped);
  const server =
    config.command === 'worker' ? healthOnly(app, health) : await buildServer(app, health, sandbox);
  const url = await openServer(server, config, teardown);
  app.urls.ownUrl = ownAddress(url);
  if (isUnknown(config.publicUrl)) app.urls.publicUrl = url;
  // Not before the server listens, for the same reason.
  if (config.command !== 'api') {
    worker = startWorker(appOfWorker(app));
    teardown.add(() => waitWithTimeout(WORKER_FIRST_MS, stopWorker() ?? Promise.resolve()));
  }
  // After everything that can fail: the key is shown once, and must not be lost in a failed start.
  const demo = withSandbox ? await createDemo(app) : null;
  // Later starts show a new link on a terminal only, and never in collected logs.
  const entryLink = withSandbox ? await linkForOwner(app, demo !== null || config.logHuman) : null;
  if (withSandbox) await connectDemoAccount(app);
  const retire = async () => {
    isRetired = true;
    if (config.shutdownDelayMs === 0) return;
    // Its failure is reported by the teardown.
    stopWorker()?.catch(() => {});
    await delay(config.shutdownDelayMs);
  };
  return { url, app, server, log: app.log, demo, entryLink, retire, stop: () => teardown.run() };
}

async function startSandbox(config: Config, overrides: Overrides, teardown: Teardown): Promise<Service> {
  const log = overrides.log ?? openLog(config);
  let { publicUrl } = config;
  const sandbox = await openOwnSandbox(config, overrides, log, {
    publicUrl: () => publicUrl,
    webhookUrl: () => config.sandbox.webhookUrl,
    mounted: null,
  });
  teardown.add(() => sandbox.close());
  const server = bareServer({ config, log });
  let isRetired = false;
  const isStopping = () => isRetired || teardown.hasBegun;
  healthRoutes(server, { app: null, worker: () => null, isStopping });
  metricsRoute(server, config);
  sandboxRoutes(server, '', sandbox);
  const url = await openServer(server, config, teardown);
  if (isUnknown(publicUrl)) publicUrl = url;
  const retire = () => {
    isRetired = true;
    return delay(config.shutdownDelayMs);
  };
  return { url, app: null, server, log, demo: null, entryLink: null, retire, stop: () => teardown.run() };
}

async function openServer(server: Server, config: Config, teardown: Teardown): Promise<string> {
  teardown.add(() => closeServer(server, config));
  teardown.add(await listenForScrapes(server, config));
  return listen(server, config);
}

function openOwnSandbox(
  config: Config,
  { clock }: Overrides,
  log: Log,
  addresses: Pick<SandboxOptions, 'publicUrl' | 'webhookUrl' | 'mounted'>,
): Promise<Sandbox> {
  return openSandbox({
    ...config.sandbox,
    ...addresses,
    dataDir: join(config.dataDir, 'sandbox'),
    clientKey: config.socialClientKey,
    clientSecret: clientSecretOf(config),
    log,
    ...(clock ? { clock } : {}),
  });
}

function healthOnly(app: App, health: HealthDeps): Server {
  const server = bareServer(app);
  healthRoutes(server, health);
  metricsRoute(server, app.config);
  operatorGauges(server, app, health.worker);
  return server;
}

/** The system picks the port, and PUBLIC_URL is not set. */
const isUnknown = (publicUrl: string) => publicUrl.endsWith(':0');

/** Where this process reaches itself. Listening on all addresses, or on both of localhost, includes the loopback. */
function ownAddress(url: string): string {
  const own = new URL(url);
  if (['0.0.0.0', '[::]', 'localhost'].includes(own.hostname)) own.hostname = '127.0.0.1';
  return own.origin;
}

/** Resolves when every request in flight has its response, or its grace has ended. Only a test chooses that of idle connections. */
export async function closeServer(
  server: Server,
  { shutdownDelayMs }: Pick<Config, 'shutdownDelayMs'>,
  idleGraceMs?: number,
): Promise<void> {
  if (shutdownDelayMs > 0) server.connections.expectBalancer(idleGraceMs);
  // Both at the same time: closing refuses new connections, draining ends the old ones, and closing waits for that.
  const closed = server.close();
  await server.connections.drain();
  await closed;
}

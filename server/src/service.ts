// One running process: which parts a command has, how they start, and how they stop.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openSandbox, type Sandbox } from '@airdate/sandbox/sandbox.js';
import type { App } from './api/app.js';
import type { Server } from './api/server.js';
import { type Overrides, openApp } from './app.js';
import type { Config } from './config/config.js';
import { connectDemoAccount, createDemo, type Demo, linkForOwner } from './demo.js';
import { createLog, type Log } from './ground/log.js';
import { type HealthParts, healthRoutes } from './http/health.js';
import { sandboxRoutes } from './http/sandbox.js';
import { bareServer, buildServer } from './http/server.js';
import { startWorker, type Worker } from './worker/worker.js';

export interface Service {
  /** Where it answers, with the real port. */
  readonly url: string;
  /** Null in the sandbox, which is no part of the product. */
  readonly app: App | null;
  readonly server: Server;
  /** Set when this start made the demo organization. */
  readonly demo: Demo | null;
  /** Lets the owner of the demo organization in, once; null if there is a password by now. */
  readonly entryLink: string | null;
  /** Finishes what runs, lets go of everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** How long new requests are still taken while the worker finishes. */
const WORKER_FIRST_MS = 4_000;

export async function startService(config: Config, overrides: Overrides = {}): Promise<Service> {
  if (config.command === 'sandbox') return startSandbox(config, overrides);
  const app = await openApp(config, overrides);
  let worker: Worker | null = null;
  let server: Server | null = null;
  let sandbox: Sandbox | null = null;
  try {
    const withSandbox = config.command === 'serve' && config.socialApiUrl === null;
    let stopping = false;
    const health: HealthParts = { app, worker: () => worker, isStopping: () => stopping };
    let ownUrl: string | null = null;
    sandbox = withSandbox
      ? await openOwnSandbox(config, overrides, app.log, {
          publicUrl: () => `${app.address.publicUrl}/sandbox`,
          webhookUrl: () => config.sandbox.webhookUrl ?? (ownUrl && `${ownUrl}/webhooks/social`),
        })
      : null;
    const listening =
      config.command === 'worker' ? healthOnly(app, health) : await buildServer(app, health, sandbox);
    server = listening;
    const url = await listen(listening, config);
    ownUrl = url;
    app.address.ownUrl = ownAddress(url);
    if (isUnknown(config.publicUrl)) app.address.publicUrl = url;
    // Not before we listen: what it publishes is fetched from us, and the built-in platform is our own.
    if (config.command !== 'api') worker = startWorker(app);
    // After everything that can fail: the key is shown once, and must not be lost with a start that failed.
    const demo = withSandbox ? await createDemo(app) : null;
    // Later starts show a new link to people alone, and never to whoever collects lines of a log.
    const entryLink = withSandbox ? await linkForOwner(app, demo !== null || config.logHuman) : null;
    if (withSandbox) await connectDemoAccount(app);
    const stop = async () => {
      stopping = true;
      // The worker first: what it is sending is fetched from us, and the built-in platform is our own.
      const drained = worker?.stop() ?? Promise.resolve();
      const patience = new AbortController();
      const enough = delay(WORKER_FIRST_MS, undefined, { signal: patience.signal }).catch(() => {});
      await Promise.race([drained, enough]);
      patience.abort();
      await Promise.all([closeServer(listening), drained]);
      await sandbox?.close();
      await app.safety.signOff();
      await app.close();
    };
    return { url, app, server: listening, demo, entryLink, stop: onlyOnce(stop) };
  } catch (error) {
    await server?.close();
    await worker?.stop();
    await sandbox?.close();
    await app.close();
    throw error;
  }
}

async function startSandbox(config: Config, overrides: Overrides): Promise<Service> {
  const log = overrides.log ?? createLog({ level: config.logLevel, human: config.logHuman });
  let stopping = false;
  let { publicUrl } = config;
  const sandbox = await openOwnSandbox(config, overrides, log, {
    publicUrl: () => publicUrl,
    webhookUrl: () => config.sandbox.webhookUrl,
  });
  try {
    const server = bareServer({ config, log });
    healthRoutes(server, { app: null, worker: () => null, isStopping: () => stopping });
    sandboxRoutes(server, '', sandbox);
    const url = await listen(server, config);
    if (isUnknown(publicUrl)) publicUrl = url;
    const stop = async () => {
      stopping = true;
      await closeServer(server);
      await sandbox.close();
    };
    return { url, app: null, server, demo: null, entryLink: null, stop: onlyOnce(stop) };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

function openOwnSandbox(
  config: Config,
  { clock }: Overrides,
  log: Log,
  addresses: { publicUrl(): string; webhookUrl(): string | null },
): Promise<Sandbox> {
  return openSandbox({
    ...config.sandbox,
    ...addresses,
    dataDir: join(config.dataDir, 'sandbox'),
    clientKey: config.socialClientKey,
    clientSecret: config.socialClientSecret,
    log,
    ...(clock ? { clock } : {}),
  });
}

function healthOnly(app: App, health: HealthParts): Server {
  const server = bareServer(app);
  healthRoutes(server, health);
  return server;
}

async function listen(server: Server, { host, port }: Config): Promise<string> {
  await server.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    // A name that cannot be found is this machine's own here, and not the database's.
    if (error.syscall === 'getaddrinfo') Object.assign(error, { code: 'EADDRNOTAVAIL', address: host });
    throw error;
  });
  const address = server.server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

/** The port is the system's choice, and PUBLIC_URL does not say that people come another way. */
const isUnknown = (publicUrl: string) => publicUrl.endsWith(':0');

/** Where this process reaches itself. Listening everywhere, or at both addresses of localhost, includes the loopback. */
function ownAddress(url: string): string {
  const own = new URL(url);
  if (['0.0.0.0', '[::]', 'localhost'].includes(own.hostname)) own.hostname = '127.0.0.1';
  return own.origin;
}

/** Ends when every request that had begun is answered, or has used up its grace. */
async function closeServer(server: Server): Promise<void> {
  // In both orders: closing refuses new connections, letting go ends the old ones, and closing waits for that. A second
  // listener (localhost has two addresses) is not waited for by the framework, but its requests are, by letGo.
  const closed = server.close();
  await server.connections.drain();
  await closed;
}

function onlyOnce(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= act();
    return running;
  };
}

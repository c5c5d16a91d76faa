// The sandbox platform: a stand-in for the real platform's HTTP API, as a separate app that knows nothing of the product.
//
// It answers requests that another server passes on; see `handle`. Lenient by default, so that everything works on one
// machine; in strict mode it enforces the platform's real rules. Its state survives restarts, and unfinished work (pulls,
// processing, webhooks) continues.
import type { IncomingMessage, ServerResponse } from 'node:http';
import fastify from 'fastify';
import { consentRoutes } from './consent.js';
import { controlRoutes } from './control.js';
import { injectFaults } from './faults.js';
import { feedRoutes } from './feed.js';
import { initRoutes } from './inits.js';
import { oauthRoutes } from './oauth.js';
import { pageFileRoutes } from './page.js';
import { type Log, loadSettings, type Platform, type SandboxOptions } from './platform.js';
import { createProcessing } from './processing.js';
import { profileRoutes } from './profiles.js';
import { createPulling } from './pulling.js';
import { shapeAnswers } from './responses.js';
import { statusRoutes } from './status.js';
import { Store } from './store.js';
import { uploadRoutes } from './uploads.js';
import { videoRoutes } from './videos.js';
import { createWebhooks } from './webhooks.js';

export interface Sandbox {
  /** Answers a request whose URL is relative to the sandbox's base. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Closes hanging calls, timers and the database. Unfinished work continues at the next start. */
  close(): Promise<void>;
}

const silent: Log = { info() {}, warn() {}, error() {} };
const BODY_LIMIT = 128 * 1024;

export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const store = new Store(options.dataDir);
  const platform: Platform = {
    options,
    store,
    settings: loadSettings(store),
    log: options.log ?? silent,
    now: () => (options.clock ?? Date).now(),
  };
  const webhooks = createWebhooks(platform);
  const processing = createProcessing(platform, webhooks);
  const pulling = createPulling(platform, processing);
  const onRemoved = (username: string, reason: number) => {
    webhooks.enqueue('authorization.removed', username, { reason });
    processing.failAll(username, 'auth_removed');
  };

  const app = fastify({ bodyLimit: BODY_LIMIT, routerOptions: { maxParamLength: 1000 } });
  // Each endpoint parses its own body, so that errors come in the platform's words.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  shapeAnswers(app, platform);
  const endFaults = injectFaults(app, platform);

  consentRoutes(app, platform);
  oauthRoutes(app, platform, onRemoved);
  profileRoutes(app, platform);
  initRoutes(app, platform, pulling);
  uploadRoutes(app, platform, processing);
  statusRoutes(app, platform, pulling);
  videoRoutes(app, platform);
  feedRoutes(app, platform, processing);
  pageFileRoutes(app);
  if (options.control) controlRoutes(app, platform, processing, onRemoved);
  await app.ready();

  pulling.resume();
  processing.resume();
  webhooks.resume();

  let closing: Promise<void> | undefined;
  const close = async () => {
    endFaults();
    await app.close();
    await pulling.close();
    await processing.close();
    await webhooks.close();
    store.close();
  };
  return {
    handle: (request, response) => app.routing(request, response),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

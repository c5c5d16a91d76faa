// Other processes on the same database and files.
import { after } from 'node:test';
import type { App } from '../../../src/app/app.js';
import type { Connector } from '../../../src/connectors/connector.js';
import type { Database } from '../../../src/db/database.js';
import { openApp } from '../../../src/open-app.js';
import { createEngine, type Engine } from '../../../src/publishing/schedule/engine.js';
import { silentLog } from '../databases/fresh-databases.js';
import type { ServiceBesidePlatform } from './beside-platform.js';
import { KillableWorker, type Points } from './killable-worker.js';

export function processesBeside(world: ServiceBesidePlatform) {
  let kept: { app: App; engine: Engine } | undefined;
  after(() => kept?.app.close());

  async function otherApp(
    around: { connector?: (real: Connector) => Connector; database?: (real: Database) => Database } = {},
  ) {
    const app = await openApp(world.app.config, { clock: world.service.clock, log: silentLog, ...around });
    app.urls.publicUrl = world.app.urls.publicUrl;
    return app;
  }

  /** The engine of another process, for what the first has in hand itself. */
  async function otherEngine(): Promise<Engine> {
    if (!kept) {
      const app = await otherApp({ connector: world.scripted.wrap });
      kept = { app, engine: createEngine(app) };
    }
    return kept.engine;
  }

  /** Another process, as far as tokens can tell. */
  async function withOther(work: (other: App) => Promise<void>): Promise<void> {
    const other = await otherApp({ connector: world.watched.wrap });
    await work(other).finally(() => other.close());
  }

  /** A worker that stops for ever, or for a while, when it comes to its point. */
  async function killableWorker(
    points: Points,
    platform = (real: Connector) => real,
  ): Promise<KillableWorker> {
    const worker = new KillableWorker();
    worker.points = { ...points };
    const app = await otherApp({
      connector: (real) => world.deadlines.around(worker.connector(platform(real))),
      database: (real) => worker.database(real),
    });
    worker.begin(app);
    return worker;
  }

  return {
    otherApp,
    otherEngine,
    withOther,
    killableWorker,
    /** When the other engine has nothing in hand. */
    othersIdle: async () => kept?.engine.idle(),
  };
}

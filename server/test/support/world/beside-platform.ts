// A service without a worker beside a sandbox platform, on clocks that the test moves, and an engine that works only when told.
import type { App } from '../../../src/app/app.js';
import { createEngine, type Engine } from '../../../src/publishing/schedule/engine.js';
import type { Engine as DatabaseEngine } from '../databases/fresh-databases.js';
import { ScriptedConnector, WatchedConnector } from '../platform/scripted-connector.js';
import { type Changes, CLIENT, type TestPlatform, usePlatform } from '../platform/test-platform.js';
import { type ServiceOptions, type TestService, useService } from '../service/harness.js';
import { Deadlines } from './deadlines.js';

/** Longer than any pause of the engine in these tests, and than a lease. */
export const STEP_MS = 61_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

export interface WorldOptions extends Pick<ServiceOptions, 'connector' | 'database' | 'log'> {
  platform?: Changes;
  /** A function if addresses are needed, which are known only when the tests run. */
  env?: Record<string, string> | (() => Record<string, string>);
}

export class ServiceBesidePlatform {
  readonly platform: TestPlatform;
  readonly service: TestService;
  readonly scripted = new ScriptedConnector();
  readonly watched = new WatchedConnector();
  readonly deadlines = new Deadlines();
  private own: Engine | undefined;

  constructor(engine: DatabaseEngine, given: WorldOptions) {
    this.platform = usePlatform(given.platform ?? {});
    this.service = useService(engine, () => ({
      command: 'api',
      env: {
        SOCIAL_API_URL: this.platform.url,
        SOCIAL_CLIENT_KEY: CLIENT.client_key,
        SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
        SOCIAL_INITS_PER_MINUTE: '0',
        SOCIAL_POSTS_PER_DAY: '0',
        ...(typeof given.env === 'function' ? given.env() : given.env),
      },
      connector: (real) =>
        this.watched.wrap(this.scripted.wrap(this.deadlines.around(given.connector?.(real) ?? real))),
      ...(given.database ? { database: given.database } : {}),
      ...(given.log ? { log: given.log } : {}),
    }));
  }

  get app(): App {
    return this.service.app;
  }

  get engine(): Engine {
    this.own ??= createEngine(this.app);
    return this.own;
  }

  /** When the engine has nothing in hand, or was not used. */
  async idle(): Promise<void> {
    await this.own?.idle();
  }

  now(): number {
    return this.service.clock.now();
  }

  /** Moves both clocks. */
  readonly advance = (ms: number): void => {
    this.service.clock.advance(ms);
    this.platform.clock.advance(ms);
  };

  /** The clock of the service stands still meanwhile, unless it is moved. */
  async frozen(work: () => Promise<void>): Promise<void> {
    const { clock } = this.service;
    clock.stopAt(clock.now());
    try {
      await work();
    } finally {
      const now = clock.now();
      clock.resume();
      clock.advance(now - Date.now());
    }
  }
}

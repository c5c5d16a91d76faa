// The processes of Airdate: two APIs, two workers, and the sandbox as the platform. A roll replaces them one after the other.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../product.mjs';
import { Part, unusedPort } from './part.mjs';

const OWN = join(root, 'server/dist/program/main.js');

/** The settings that deploy/ says, and what the trial needs to be short and without other limits. */
const SETTINGS = {
  LOG_FORMAT: 'json',
  HOST: '127.0.0.1',
  TRUST_PROXY: 'loopback',
  MIGRATE: 'off',
  SCHEDULE_MIN_LEAD_SECONDS: '0',
  SOCIAL_INITS_PER_MINUTE: '0',
  SOCIAL_POSTS_PER_DAY: '0',
  RATE_LIMIT_AGENCY_PER_MINUTE: '1000000',
  PUBLISH_LEASE_SECONDS: '5',
  PUBLISH_BACKOFF_MS: '1000',
  RECONCILE_INTERVAL_MS: '500',
  SCHEDULER_SWEEP_SECONDS: '5',
};

/** How long a load balancer may take to notice, as in deploy/. */
const DELAY = { SHUTDOWN_DELAY_SECONDS: '5' };

export class Fleet {
  /** @type {Part[]} */
  apis = [];
  /** @type {Part[]} */
  workers = [];
  adminToken = randomBytes(24).toString('hex');

  /** `settings` say where database, Redis and proxies are; `ca` is the authority that the sandbox believes. */
  static async prepare(dir, { settings, apiPorts, ca }) {
    const fleet = new Fleet();
    fleet.dir = dir;
    fleet.sandboxPort = await unusedPort();
    const data = join(dir, 'data');
    mkdirSync(data);
    fleet.env = {
      PATH: process.env.PATH,
      DATA_DIR: data,
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      ADMIN_TOKEN: fleet.adminToken,
      SOCIAL_API_URL: fleet.sandboxUrl,
      ...SETTINGS,
      ...settings,
    };
    fleet.sandbox = fleet.#part('sandbox', 'sandbox', fleet.sandboxPort, {
      NODE_EXTRA_CA_CERTS: ca,
      PUBLIC_URL: fleet.sandboxUrl,
      SANDBOX_CONTROL: 'on',
      SANDBOX_PROCESSING_MS: '200',
      SANDBOX_WEBHOOK_URL: `${settings.PUBLIC_URL}/webhooks/social`,
    });
    for (const [i, port] of apiPorts.entries())
      fleet.apis.push(fleet.#part(`api-${i + 1}`, 'api', port, DELAY));
    for (const i of [1, 2]) fleet.workers.push(fleet.#part(`worker-${i}`, 'worker', await unusedPort()));
    return fleet;
  }

  get sandboxUrl() {
    return `http://127.0.0.1:${this.sandboxPort}`;
  }

  get all() {
    return [...this.apis, ...this.workers, this.sandbox];
  }

  #part(name, command, port, env = {}) {
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    const settings = { ...this.env, PORT: String(port), ...env };
    return new Part({
      name,
      dir: this.dir,
      command: [process.execPath, OWN, command],
      env: settings,
      isReady,
    });
  }

  async migrate(main = OWN) {
    await promisify(execFile)(process.execPath, [main, 'migrate'], { env: this.env, cwd: this.dir });
  }

  async start() {
    await this.sandbox.start();
    await this.migrate();
    await Promise.all([...this.apis, ...this.workers].map((part) => part.start()));
  }

  /** One API and one worker at a time, the next ones only when these are ready again. */
  async roll(main = OWN) {
    const roles = [
      ['api', this.apis],
      ['worker', this.workers],
    ];
    for (const i of [0, 1])
      await Promise.all(
        roles.map(async ([command, parts]) => {
          const part = parts[i];
          await part.stop();
          part.change({ command: [process.execPath, main, command] });
          await part.start();
        }),
      );
  }

  async end() {
    await Promise.all(this.all.map((part) => part.end('SIGKILL')));
  }
}

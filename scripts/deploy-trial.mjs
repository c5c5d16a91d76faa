// The trial of a distributed installation: two APIs, two workers, pgbouncer, Postgres, Redis, and nginx, haproxy and Caddy with TLS
// in front, from the files of deploy/. Under a mixed load, everything is restarted, upgraded, killed and made to hang; every request
// is counted. Ends with 1 if a promise of deploy/README.md is broken. Needs root on Debian, for packages.
//   node scripts/deploy-trial.mjs [--direct] [--bucket]      --direct: without pgbouncer; --bucket: files on an S3 server
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCertificate } from './deploy/certificate.mjs';
import { Client } from './deploy/client.mjs';
import { EventStream } from './deploy/event-stream.mjs';
import { Fleet } from './deploy/fleet.mjs';
import { install } from './deploy/install.mjs';
import { Load } from './deploy/load.mjs';
import { buildNewerVersion } from './deploy/newer-version.mjs';
import { checkMetricsAreHidden, openOrganization } from './deploy/organization.mjs';
import { unusedPort } from './deploy/part.mjs';
import { phases } from './deploy/phases.mjs';
import { choosePorts, proxy } from './deploy/proxies.mjs';
import { pgbouncer, redis, startPostgres } from './deploy/stores.mjs';
import { Tally } from './deploy/tally.mjs';
import { judge } from './deploy/verdict.mjs';
import { startSwift } from './swift.mjs';

const flag = { type: 'boolean', default: false };
const { values: options } = parseArgs({ options: { direct: flag, bucket: flag } });
const BUCKET = 'airdate-media';
const PROGRAMS = {
  nginx: 'nginx-light',
  haproxy: 'haproxy',
  pgbouncer: 'pgbouncer',
  'redis-server': 'redis-server',
};

/** Starts everything. What is started is added to `endings`, which end it in reverse order. */
async function build(dir, endings) {
  const tls = makeCertificate(dir);
  const postgres = await startPostgres();
  endings.push(() => postgres.stop());
  const parts = {};
  const run = async (name, part) => {
    parts[name] = await part.start();
    endings.push(() => part.endAll());
  };
  const limiter = await redis(dir);
  await run('redis', limiter.part);
  const pooler = options.direct ? null : await pgbouncer(dir, postgres);
  if (pooler) await run('pgbouncer', pooler.part);
  const files = options.bucket ? await startSwift(BUCKET) : null;
  if (files) endings.push(() => files.stop());
  const hasCaddy = install({ caddy: 'caddy' }).size > 0;
  const ports = { nginx: await choosePorts(), haproxy: await choosePorts() };
  if (hasCaddy) ports.caddy = await choosePorts();
  const apiPorts = [await unusedPort(), await unusedPort()];
  const settings = {
    PUBLIC_URL: `https://localhost:${ports.nginx.tls}`,
    DATABASE_URL: pooler?.url ?? postgres.url,
    ...(pooler ? { DATABASE_POOLER: 'transaction', DATABASE_LISTEN_URL: postgres.url } : {}),
    REDIS_URL: limiter.url,
    ...(files ? bucketOf(files) : {}),
  };
  const fleet = await Fleet.prepare(dir, { settings, apiPorts, ca: tls.ca });
  endings.push(() => fleet.end());
  await fleet.start();
  for (const kind of Object.keys(ports))
    await run(kind, proxy(kind, dir, { ports: ports[kind], apis: apiPorts, tls }));
  return { dir, tls, postgres, parts, ports, fleet, newer: buildNewerVersion(dir) };
}

const bucketOf = ({ endpoint, region, accessKeyId, secretAccessKey }) => ({
  S3_BUCKET: BUCKET,
  S3_ENDPOINT: endpoint,
  S3_REGION: region,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
});

async function tryEverything(world) {
  const tally = new Tally();
  const client = new Client(tally, world.tls.ca);
  tally.begin('setting up', 'no request fails');
  client.fronts = [world.ports.nginx.tls];
  const account = await openOrganization(client, world);
  await checkMetricsAreHidden(
    client,
    Object.values(world.ports).map(({ tls }) => tls),
  );
  const front = (name, other) => [world.ports[name].tls, world.ports[other].tls];
  const streams = [front('nginx', 'haproxy'), front('haproxy', 'nginx')].map(
    (ports) => new EventStream(client, tally, ports),
  );
  for (const stream of streams) await stream.start();
  const load = new Load(client, account);
  load.start();
  const { warmUp, rolls, upgrade, kills, databases, limiter, calmAgain } = phases({
    ...world,
    tally,
    client,
  });
  for (const act of [warmUp, rolls, upgrade, kills, databases, limiter]) await act();
  const before = world.fleet.all.map(({ pid }) => pid).join();
  await calmAgain();
  await load.stop();
  const { figures, wrong } = await judge({
    databaseUrl: world.postgres.url,
    sandboxUrl: world.fleet.sandboxUrl,
    posts: load.posts,
    streams,
  });
  if (
    before !== world.fleet.all.map(({ pid }) => pid).join() ||
    world.fleet.all.some(({ hasEnded }) => hasEnded)
  )
    wrong.push('a process ended by itself');
  for (const stream of streams) await stream.stop();
  client.close();
  return { tally, figures, wrong };
}

function report({ tally, figures, wrong }, seconds) {
  const broken = tally.broken();
  process.stdout.write(`\n${tally.table()}\n\n`);
  process.stdout.write(
    `${Object.entries(figures)
      .map(([name, value]) => `${name}: ${value}`)
      .join(' · ')}\n`,
  );
  for (const { phase, operation, kind } of broken.slice(0, 20))
    process.stdout.write(`BROKEN: ${phase}: ${operation}: ${kind}\n`);
  for (const sentence of wrong.slice(0, 20)) process.stdout.write(`BROKEN: ${sentence}\n`);
  const isKept = broken.length === 0 && wrong.length === 0;
  process.stdout.write(`${isKept ? 'All promises kept' : 'Promises were broken'}, in ${seconds} s.\n`);
  return isKept;
}

const missing = Object.keys(PROGRAMS).filter((name) => !install(PROGRAMS).has(name));
if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}`);
const dir = mkdtempSync(join(tmpdir(), 'airdate-trial-'));
chmodSync(dir, 0o755);
const endings = [];
let isKept = false;
try {
  const began = Date.now();
  const result = await tryEverything(await build(dir, endings));
  isKept = report(result, Math.round((Date.now() - began) / 1000));
} finally {
  for (const end of endings.reverse()) await end();
  if (isKept) rmSync(dir, { recursive: true, force: true });
  else process.stdout.write(`Logs: ${dir}\n`);
}
process.exitCode = isKept ? 0 : 1;

// A real S3 server: OpenStack Swift with its s3api, from Debian's packages, in a temporary folder on free loopback ports.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { root } from './product.mjs';

// Debian's own Python: another one in the PATH would not see Debian's packages.
const PYTHON = '/usr/bin/python3';
const REGION = 'us-east-1';
const PARTS = ['account', 'container', 'object', 'proxy'];

/** With an empty bucket. `stop` ends every process that was started, and removes the folder. */
export async function startSwift(bucket) {
  install();
  const dir = folder();
  const children = [];
  const end = () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  };
  // Also if this process is told to stop, at any time.
  const endings = { exit: end, SIGINT: () => process.exit(130), SIGTERM: () => process.exit(143) };
  for (const [event, listener] of Object.entries(endings)) process.once(event, listener);
  const stop = async () => {
    for (const [event, listener] of Object.entries(endings)) process.off(event, listener);
    const exits = children.filter((child) => !ended(child)).map((child) => once(child, 'exit'));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(exits);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const ports = {};
    for (const part of PARTS) ports[part] = await freePort();
    const secretAccessKey = randomBytes(16).toString('hex');
    configure(dir, ports, secretAccessKey);
    for (const part of PARTS)
      children.push(spawn(PYTHON, ['-c', SERVER, dir, part], { stdio: ['ignore', 'ignore', 'inherit'] }));
    await Promise.all(children.map((child, i) => listening(child, ports[PARTS[i]])));

    const endpoint = `http://127.0.0.1:${ports.proxy}`;
    const credentials = { accessKeyId: 'airdate:tester', secretAccessKey };
    const client = new S3Client({ endpoint, region: REGION, credentials, forcePathStyle: true });
    try {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
    } finally {
      client.destroy();
    }
    return { endpoint, region: REGION, ...credentials, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function install() {
  const python = (code) => spawnSync(PYTHON, ['-c', code], { stdio: 'ignore' }).status === 0;
  const ready = () => python('import swift.common.middleware.s3api.s3api, swift.obj.server');
  if (ready()) return;
  if (userInfo().uid !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error('Swift is not installed. On Debian or Ubuntu, as root: apt-get install python3-swift');
  // The library contains the servers. The packages named after them would also start them, on fixed ports.
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const add = () => apt('install', '-y', '--no-install-recommends', 'python3-swift', 'python3-lxml');
  process.stdout.write('Installing python3-swift …\n');
  if (!add() && !(apt('update') && add())) throw new Error('apt-get could not install python3-swift');
  if (!ready()) throw new Error('python3-swift is installed, but its s3api does not load');
}

/** Swift stores object metadata in extended file attributes, which not every file system supports. */
function folder() {
  const probe =
    'import os,sys; f=sys.argv[1]+"/probe"; open(f,"w"); os.setxattr(f,"user.probe",b"x"*2000); os.remove(f)';
  for (const place of [tmpdir(), '/var/tmp', '/dev/shm', root]) {
    if (!existsSync(place)) continue;
    const dir = mkdtempSync(join(place, 'airdate-swift-'));
    if (spawnSync(PYTHON, ['-c', probe, dir], { stdio: 'ignore' }).status === 0) return dir;
    rmSync(dir, { recursive: true, force: true });
  }
  throw new Error('no file system with extended attributes found');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function configure(dir, ports, secret) {
  mkdirSync(join(dir, 'devices', 'd1'), { recursive: true });
  writeFileSync(
    join(dir, 'swift.conf'),
    `[swift-hash]\nswift_hash_path_suffix = ${randomBytes(8).toString('hex')}\n`,
  );
  const common = (part) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${ports[part]}
user = ${userInfo().username}
swift_dir = ${dir}
devices = ${join(dir, 'devices')}
mount_check = false
workers = 0
log_level = ERROR
fallocate_reserve = 0
`;
  for (const part of PARTS.slice(0, 3))
    writeFileSync(
      join(dir, `${part}.conf`),
      `${common(part)}[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`,
    );
  // Authentication requires a cache; one that never answers is enough. Limits on listings and writes stay off.
  writeFileSync(
    join(dir, 'proxy.conf'),
    `${common('proxy')}[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_airdate_tester = ${secret} .admin
[filter:s3api]
use = egg:swift#s3api
location = ${REGION}
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
${['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'copy', 'slo', 'dlo']
  .map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`)
  .join('')}`,
  );
  const rings = `
import sys
from swift.common.ring import RingBuilder
folder, ports = sys.argv[1], sys.argv[2:]
for part, port in zip(('account', 'container', 'object'), ports):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'weight': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1',
                     'replication_ip': '127.0.0.1', 'replication_port': int(port), 'meta': ''})
    builder.rebalance()
    builder.get_ring().save('%s/%s.ring.gz' % (folder, part))
`;
  const made = spawnSync(
    PYTHON,
    ['-c', rings, dir, ...PARTS.slice(0, 3).map((part) => String(ports[part]))],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (made.status !== 0) throw new Error("Swift's rings could not be built");
}

/** Does what the packages' own scripts do, but reads swift.conf from our folder. */
const SERVER = `
import sys
from swift.common import utils, wsgi
utils.set_swift_dir(sys.argv[1])
sys.exit(wsgi.run_wsgi('%s/%s.conf' % (sys.argv[1], sys.argv[2]), sys.argv[2] + '-server'))
`;

const ended = (child) => child.exitCode !== null || child.signalCode !== null;

async function listening(child, port) {
  for (const until = Date.now() + 30_000; Date.now() < until; await delay(50)) {
    if (ended(child)) throw new Error(`a Swift server exited with ${child.exitCode ?? child.signalCode}`);
    const socket = connect(port, '127.0.0.1');
    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (connected) return;
  }
  throw new Error(`no Swift server listens on port ${port}`);
}

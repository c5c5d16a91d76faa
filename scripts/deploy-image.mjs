// Builds the image of deploy/Dockerfile and runs it, without a registry of images: its base images are made from Debian's packages, and
// from Node and npm as the npm registry has them. Checks the size, what is not in it, that it runs with a read-only root and without
// privileges, and that it stops in time. Needs root on Debian.
//   node scripts/deploy-image.mjs
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkContents } from './deploy/image-contents.mjs';
import { runImage } from './deploy/image-run.mjs';
import { install } from './deploy/install.mjs';
import { root } from './product.mjs';
import { cannotFetchNode, fetchPackages, nodeIn, nodePackage } from './registry.mjs';

const PROGRAMS = { podman: 'podman', runc: 'runc', mmdebstrap: 'mmdebstrap' };
const IMAGE = 'localhost/airdate:trial';

/** podman with its own store, so that nothing else on the machine is seen or changed. */
function podmanIn(dir) {
  const own = ['--root', join(dir, 'images'), '--runroot', join(dir, 'run'), '--storage-driver', 'overlay'];
  const more = ['--cgroup-manager', 'cgroupfs', '--events-backend', 'file', '--runtime', 'runc'];
  return (args, options = {}) =>
    execFileSync('podman', [...own, ...more, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1e8,
      ...options,
    });
}

/** As debian:bookworm-slim and node:24-bookworm-slim are, from the same packages. */
async function makeBases(dir, podman) {
  const rootfs = join(dir, 'debian');
  const without = ['doc', 'man', 'info', 'locale', 'lintian'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', ...without, 'bookworm', rootfs], {
    stdio: 'inherit',
  });
  const asImage = (name, ...changes) => {
    execFileSync('tar', ['--create', '--file', join(dir, `${name}.tar`), '--directory', rootfs, '.']);
    podman(['import', '--quiet', ...changes, join(dir, `${name}.tar`), `localhost/${name}:trial`]);
    rmSync(join(dir, `${name}.tar`));
  };
  asImage('base');
  const fetched = join(dir, 'fetched');
  mkdirSync(fetched);
  await fetchPackages(fetched, [nodePackage(24), 'npm@11']);
  cpSync(nodeIn(fetched), join(rootfs, 'usr/local/bin/node'));
  cpSync(join(fetched, 'node_modules/npm'), join(rootfs, 'usr/local/lib/node_modules/npm'), {
    recursive: true,
  });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(rootfs, 'usr/local/bin/npm'));
  // Behind a proxy that this machine trusts, the build has to trust it too. The final image knows nothing of it.
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (!authorities) return asImage('node');
  cpSync(authorities, join(rootfs, 'etc/authorities.crt'), { dereference: true });
  asImage('node', '--change', 'ENV NODE_EXTRA_CA_CERTS=/etc/authorities.crt');
}

function build(podman) {
  const began = Date.now();
  podman([
    ...['build', '--quiet', '--layers=false', '--isolation', 'chroot', '--network', 'host', '--pull=never'],
    ...['--build-arg', 'NODE_IMAGE=localhost/node:trial', '--build-arg', 'BASE_IMAGE=localhost/base:trial'],
    ...['--file', join(root, 'deploy/Dockerfile'), '--tag', IMAGE, root],
  ]);
  return Math.round((Date.now() - began) / 1000);
}

async function main(dir) {
  const podman = podmanIn(dir);
  await makeBases(dir, podman);
  const seconds = build(podman);
  process.stdout.write(`The image was built in ${seconds} s.\n`);
  checkContents(podman, IMAGE);
  await runImage(podman, IMAGE);
}

const missing = Object.keys(PROGRAMS).filter((name) => !install(PROGRAMS).has(name));
if (cannotFetchNode || missing.length > 0) {
  process.stdout.write(`NOT RUN: ${cannotFetchNode ?? `not installed: ${missing.join(', ')}`}.\n`);
  process.exitCode = 1;
} else {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-image-'));
  try {
    await main(dir);
  } finally {
    // podman leaves its store mounted.
    spawnSync('umount', ['--quiet', '--recursive', join(dir, 'images/overlay')], { stdio: 'ignore' });
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

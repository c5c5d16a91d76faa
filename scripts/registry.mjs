// Packages for checks, fetched from the registry into a folder of their own: nothing is installed into the project, and none of
// their scripts run. Which registry, mirror or proxy is npm's own configuration.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const QUIET = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
const NODE = `node-linux-${process.arch}`;

/** Why nothing can be fetched here; null if it can. */
export const cannotFetchNode =
  process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
    ? null
    : 'other versions of Node are fetched for Linux on x64 and arm64 only';

/**
 * Each package with its version, as npm takes it. What npm has kept is used first; but of a package's own dependencies it may know
 * only older versions than they need by now.
 */
export async function fetchPackages(dir, packages) {
  const isFetched =
    (await install(dir, packages, '--prefer-offline')) || (await install(dir, packages, '--prefer-online'));
  if (!isFetched) throw new Error(`npm could not fetch ${packages.join(' ')}`);
}

async function install(dir, packages, preference) {
  const npm = spawn('npm', ['install', ...QUIET, preference, '--prefix', dir, ...packages], {
    stdio: 'inherit',
  });
  const [code] = await once(npm, 'exit');
  return code === 0;
}

/** A version of Node as a package. */
export const nodePackage = (version) => `${NODE}@${version}`;

/** The path of its binary. */
export const nodeIn = (dir) => join(dir, 'node_modules', NODE, 'bin/node');

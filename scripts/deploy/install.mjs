// Debian's packages that the trial runs. None of them is started by its installation, and none of its settings are used.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';

/** Also where Debian keeps the programs of administrators. */
const PLACES = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** The path of a program, or null if it is not installed. */
export const find = (program) =>
  PLACES.map((place) => join(place, program)).find((path) => existsSync(path)) ?? null;

function apt(...args) {
  // Runlevel 1 keeps Debian's scripts from starting the services of the packages.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

/** Installs what is missing: by the name of a program, its package. Returns which programs are there in the end. */
export function install(packages) {
  const missing = Object.entries(packages).filter(([program]) => find(program) === null);
  if (missing.length > 0) {
    const names = missing.map(([, name]) => name);
    process.stdout.write(`Installing ${names.join(', ')} …\n`);
    const mayInstall = userInfo().uid === 0 && find('apt-get') !== null;
    const add = () => apt('install', '-y', '--no-install-recommends', ...names);
    if (!mayInstall || (!add() && !(apt('update') && add())))
      process.stdout.write(`${names.join(', ')} could not be installed: that takes root on Debian.\n`);
  }
  return new Set(Object.keys(packages).filter((program) => find(program) !== null));
}

// Runs a command of the server in this process, after building it if there is no build. An existing build is left alone even
// if it is old: other processes may be running from it.
//
// CommonJS, because Node reads ES modules in its thread pool, whose size can be set only before its first use. Two of the threads hash
// passwords, lookups of names take at most half, and the rest read and write files (decision 0047).
process.env.UV_THREADPOOL_SIZE ??= '8';

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const root = join(__dirname, '..');
const main = join(root, 'server/dist/program/main.js');
if (!existsSync(main)) {
  const built = spawnSync('npm', ['run', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (built.status !== 0) process.exit(built.status ?? 1);
}
import(pathToFileURL(main).href);

// Builds the dashboard, if anything it is made of was changed or installed since the last build: this step is most of the time of
// `npm run build`.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');
/** Written after a build, with the time at which it began, so that a file saved during the build counts as changed. */
const STAMP = join(web, 'dist-test', 'dashboard-built');
const NOT_SOURCES = new Set(['dist', 'dist-test', 'node_modules', 'tsconfig.tsbuildinfo']);

const began = new Date();
if (isBuilt()) process.exit(0);
rmSync(STAMP, { force: true });
const { status } = spawnSync('npm', ['run', 'build', '-w', 'web'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (status === 0) {
  writeFileSync(STAMP, '');
  utimesSync(STAMP, began, began);
}
process.exitCode = status ?? 1;

function isBuilt() {
  const built = changedAt(STAMP);
  if (built === 0 || changedAt(join(web, 'dist/index.html')) === 0) return false;
  const sources = readdirSync(web)
    .filter((name) => !NOT_SOURCES.has(name))
    .map((name) => join(web, name));
  const others = ['sdk/dist', 'sdk/package.json', 'node_modules/.package-lock.json', 'package.json'];
  return [...sources, ...others.map((path) => join(root, path))].every((path) => newestIn(path) < built);
}

/** A folder counts too: its time changes when a file in it is deleted or renamed. */
function newestIn(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return changedAt(path);
  const times = readdirSync(path, { recursive: true }).map((name) => changedAt(join(path, name)));
  return Math.max(changedAt(path), ...times);
}

/** 0 if there is no such file. */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

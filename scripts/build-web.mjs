// Builds the dashboard, if anything it is made of is different from the last build: this step takes most of the time of
// `npm run build`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');
const dist = join(web, 'dist');
/** Says what the last complete build was made of, and which files it wrote. */
const STAMP = join(web, 'dist-test', 'dashboard-built');
const NOT_SOURCES = new Set(['dist', 'dist-test', 'node_modules', 'tsconfig.tsbuildinfo']);

const sources = hashOf(filesOf(web).concat(otherSources()), (file) => readFileSync(file));
if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === `${sources} ${builtFiles()}`) process.exit(0);
rmSync(STAMP, { force: true });
const { status } = spawnSync('npm', ['run', 'build', '-w', 'web'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (status === 0) {
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, `${sources} ${builtFiles()}`);
}
process.exitCode = status ?? 1;

/** Outside of web: the SDK, the settings, and what is installed. */
function otherSources() {
  const files = ['package.json', 'tsconfig.base.json', 'node_modules/.package-lock.json', 'sdk/package.json'];
  return [...files.map((file) => join(root, file)).filter(existsSync), ...filesOf(join(root, 'sdk/dist'))];
}

function builtFiles() {
  return existsSync(dist) ? hashOf(filesOf(dist), (file) => `${statSync(file).size}`) : '';
}

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (folder === web && NOT_SOURCES.has(entry.name)) return [];
    return entry.isDirectory() ? filesOf(path) : [path];
  });
}

function hashOf(files, contentOf) {
  const hash = createHash('sha256').update(process.env.NODE_ENV ?? '');
  for (const file of files.sort()) hash.update(`\0${relative(root, file)}\0`).update(contentOf(file));
  return hash.digest('hex');
}

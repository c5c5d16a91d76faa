// Joins (bundles) the compiled server and its packages into a few files: a start takes half the CPU time of one that loads 1,700
// modules.
//   node scripts/bundle.mjs [folder entry…]
// Without arguments it joins the server; with them, other programs made of its modules, which the tests start. Paths are below
// server/dist. Programs that are newer than everything they are made of stay.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'server/dist');
const [folder = 'program', ...entries] = process.argv.slice(2);
const dir = join(dist, folder);
const input = (entries.length === 0 ? ['src/main.js'] : entries).map((entry) => join(dist, entry));

const made = ['server/dist/src', 'server/dist/test/crash/programs', 'sandbox/dist'];
// The command line has nothing of the server.
if (folder === 'command-line') made.splice(0, made.length, 'cli/dist', 'sdk/dist');
const compiled = made.map(newestIn);
const others = ['scripts/bundle.mjs', 'node_modules/.package-lock.json'].map(changedAt);
const oldest = Math.min(...input.map((entry) => changedAt(join(dir, basename(entry)))));
if (oldest > Math.max(...compiled, ...others)) process.exit();

/**
 * Not joined: packages with native parts or files of their own, the one through which an operator's tracing is found, and those
 * that another package uses only if they are installed.
 */
const external = [
  '@fastify/static',
  '@fastify/swagger-ui',
  '@node-rs/argon2',
  '@opentelemetry/api',
  'libsql',
  'pg-native',
  'sharp',
  'supports-color',
];

/** Whether a module is compiled from the sources here. Rolldown's own begin with a NUL and have no file. */
function isOurs(id) {
  const path = relative(root, id);
  return !id.startsWith('\0') && !path.startsWith('..') && !path.split(sep).includes('node_modules');
}

/**
 * Our modules find files and child programs relative to `import.meta.url`. After joining, that would be the address of the joined
 * file, so each keeps its old one.
 */
const keepAddresses = {
  name: 'keep-addresses',
  transform: {
    filter: { code: /import\.meta\.url/ },
    handler(code, id) {
      if (!isOurs(id)) return null;
      const path = relative(dir, id).split(sep).join('/');
      const address = `new URL(${JSON.stringify(path)}, import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', address), map: null };
    },
  },
};

const bundle = await rolldown({ cwd: root, input, external, platform: 'node', plugins: [keepAddresses] });
const { output } = await bundle.generate({ format: 'esm' });
await bundle.close();

// A process may start during a build: every file appears whole, and those that name others appear after them.
mkdirSync(dir, { recursive: true });
for (const { fileName, code } of output.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry))) {
  const path = join(dir, fileName);
  writeFileSync(`${path}.new`, code);
  renameSync(`${path}.new`, path);
}

// A process from an earlier build may still load its files, whose names end in a hash. After a day they are removed.
const DAY_MS = 86_400_000;
for (const name of readdirSync(dir)) {
  const path = join(dir, name);
  if (statSync(path).mtimeMs < Date.now() - DAY_MS) rmSync(path);
}

/** 0 if there is no such folder: an image is built without the tests. */
function newestIn(folder) {
  if (changedAt(folder) === 0) return 0;
  const files = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.js'));
  return Math.max(0, ...files.map((name) => changedAt(join(folder, name))));
}

/** Of a path below the repository, or a whole one; 0 if there is no such file. */
function changedAt(path) {
  return statSync(resolve(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

// Joins the compiled server and its packages into a few files: a start takes half the CPU time of one that loads 1,700 modules.
//   node scripts/bundle.mjs [folder entry…]
// Without arguments the server; with them, other programs made of its modules, which the tests start. Paths are below server/dist.
// Files of an earlier build stay, because processes that run from it may load them later. Their names end in a hash.
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../server/dist', import.meta.url));
const [folder = 'program', ...entries] = process.argv.slice(2);
const dir = join(dist, folder);
const input = (entries.length === 0 ? ['src/main.js'] : entries).map((entry) => join(dist, entry));

/** Not joined: what has native parts or files of its own, and the package through which an operator's tracing is found. */
const external = [
  '@fastify/static',
  '@fastify/swagger-ui',
  '@node-rs/argon2',
  '@opentelemetry/api',
  'libsql',
  'pg-native',
  'sharp',
];

/** Our modules find the files and the child programs beside them by their own address, which is another one afterwards. */
const keepAddresses = {
  name: 'keep-addresses',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.url/ },
    handler(code, id) {
      const path = relative(dir, id).split(sep).join('/');
      const address = `new URL(${JSON.stringify(path)}, import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', address), map: null };
    },
  },
};

const bundle = await rolldown({ input, external, platform: 'node', plugins: [keepAddresses] });
await bundle.write({ dir, format: 'esm' });
await bundle.close();

// Starts a command of the built product as a process of its own, with a folder and a free port of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'server/dist/program/main.js');

/** The last line that a process prints before it is used. */
const READY = /is ready at /;

/**
 * Resolves when the process is ready. `stop` ends it in order, and fails if it does not exit with 0.
 * @param {'serve' | 'sandbox'} command
 */
export async function startProduct(command, node, dir, settings = {}) {
  const data = mkdtempSync(join(dir, 'data-'));
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: data,
    LOG_FORMAT: 'json',
    ...settings,
  };
  const product = spawn(node, [main, command], { env, cwd: data, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(product, 'exit');
  /** Everything that the lines tell, by field. `serve` on an empty folder tells the demo's key and a link, too. */
  const fields = {};
  await new Promise((resolve) => {
    createInterface({ input: product.stdout }).on('line', (line) => {
      Object.assign(fields, JSON.parse(line));
      if (READY.test(fields.msg)) resolve();
    });
    void exited.then(resolve);
  });
  if (!fields.url) throw new Error(`it did not start: ${fields.msg}`);
  return {
    url: fields.url,
    key: fields.api_key,
    entryToken: fields.link?.split('#')[1],
    async stop() {
      product.kill('SIGTERM');
      const [code] = await exited;
      if (code !== 0) throw new Error(`it stopped with ${code}`);
    },
  };
}

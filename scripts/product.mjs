// Starts a command of the built product as a process of its own, with a folder and a free port of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'server/dist/src/main.js');

/** `serve` on an empty folder also prints the demo's key and, last, the link into the dashboard. */
const LAST_LINE = { serve: /\/enter\S+\n/, sandbox: /is ready at \S+\n/ };

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
  let said = '';
  await new Promise((resolve) => {
    product.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (LAST_LINE[command].test(said)) resolve();
    });
    void exited.then(resolve);
  });
  const url = /is ready at (\S+)/.exec(said)?.[1];
  if (!url) throw new Error(`it did not start:\n${said}`);
  return {
    url,
    key: /Bearer (\S+?)"/.exec(said)?.[1],
    entryToken: /\/enter#(\S+)/.exec(said)?.[1],
    async stop() {
      product.kill('SIGTERM');
      const [code] = await exited;
      if (code !== 0) throw new Error(`it stopped with ${code}`);
    },
  };
}

// The processes a benchmark runs: the real service as users start it, and the bare servers it is held against.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(import.meta.resolve('@airdate/server/src/main.js'));
const BARE = fileURLToPath(new URL('./bare.js', import.meta.url));

export interface Running {
  url: string;
  /** Milliseconds from the start of the process to its first answer. */
  firstAnswerMs: number;
  memoryMb(): number;
  stop(): Promise<void>;
}

/** `serve` with everything on, the rate limiter and the log included; only the limit itself is out of the way. */
export function startAirdate(dataDir: string, env: Record<string, string> = {}): Promise<Running> {
  return start(MAIN, ['serve'], {
    DATA_DIR: dataDir,
    DEMO: 'off',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    RATE_LIMIT_AGENCY_PER_MINUTE: '1000000000',
    ...env,
  });
}

export function startBare(env: Record<string, string> = {}): Promise<Running> {
  return start(BARE, [], env);
}

async function start(file: string, args: string[], env: Record<string, string>): Promise<Running> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', PORT: '0', LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await announcedUrl(child);
  const answer = await fetch(`${url}/healthz`);
  await answer.text();
  return {
    url,
    firstAnswerMs: performance.now() - startedAt,
    memoryMb: () => {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      return Number(kilobytes) / 1024;
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function announcedUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const url = /is ready at (\S+)/.exec(line)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it answered`)));
  });
}

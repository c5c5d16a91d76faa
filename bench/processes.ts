// The processes a benchmark runs: the real service as users start it, and the bare servers it is compared with.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BareJob, BareResult } from './bare-loop.js';

const MAIN = fileURLToPath(import.meta.resolve('@airdate/server/program/main.js'));
const BARE = fileURLToPath(new URL('./bare.js', import.meta.url));
const BARE_LOOP = fileURLToPath(new URL('./bare-loop.js', import.meta.url));

export interface Running {
  url: string;
  /** Milliseconds from the start of the process to its first response. */
  firstAnswerMs: number;
  /** CPU time until then. */
  firstAnswerCpuMs: number;
  memoryMb(): number;
  /** CPU time of all its threads so far. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** `serve` with everything on, including the rate limiter and the log; only the limit is too high to be reached. */
export function startAirdate(dataDir: string, env: Record<string, string> = {}): Promise<Running> {
  return start(MAIN, ['serve'], {
    DATA_DIR: dataDir,
    DEMO: 'off',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    RATE_LIMIT_AGENCY_PER_MINUTE: '1000000000',
    ...env,
  });
}

/** One command of the server as its own process. */
export function startPart(
  command: 'serve' | 'api' | 'worker' | 'sandbox',
  dataDir: string,
  env: Record<string, string>,
): Promise<Running> {
  return start(MAIN, [command], { DATA_DIR: dataDir, ...env });
}

export function startBare(env: Record<string, string> = {}): Promise<Running> {
  return start(BARE, [], env);
}

/** Runs the program that makes the platform's calls and nothing else, until it exits. */
export async function runBareLoop(job: BareJob): Promise<BareResult> {
  const child = spawn(process.execPath, [BARE_LOOP], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(job));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the bare loop exited with ${code}`);
  return JSON.parse(output) as BareResult;
}

async function start(file: string, args: string[], env: Record<string, string>): Promise<Running> {
  const startedAt = performance.now();
  // The log goes to a file, as in production. Reading it here would slow down the load generator, not the service.
  const dir = mkdtempSync(join(tmpdir(), 'airdate-bench-log-'));
  const log = join(dir, 'log');
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', PORT: '0', LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', openSync(log, 'w'), 'inherit'],
  });
  // A benchmark that fails leaves nothing behind.
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  const url = await announcedUrl(child, log);
  const answer = await fetch(`${url}/healthz`);
  await answer.text();
  const cpuMs = () => cpuOf(child.pid as number);
  return {
    url,
    firstAnswerMs: performance.now() - startedAt,
    firstAnswerCpuMs: cpuMs(),
    cpuMs,
    memoryMb: () => {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      return Number(kilobytes) / 1024;
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Linux counts in ticks of 10 ms: fields 14 and 15, after a name that may hold spaces. */
function cpuOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number) as [number, number];
  return (user + system) * 10;
}

async function announcedUrl(child: ChildProcess, log: string): Promise<string> {
  while (child.exitCode === null) {
    const url = /is ready at ([^\s"]+)/.exec(readFileSync(log, 'utf8'))?.[1];
    if (url) return url;
    await delay(5);
  }
  throw new Error(`the process exited with ${child.exitCode} before it was ready`);
}

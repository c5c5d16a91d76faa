// Commands of the program as real processes, for proofs that watch their memory and their exit.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from '../../../src/config/config.js';
import { readyUrl } from './greeting.js';
import { PROGRAM } from './joined-programs.js';

export interface Program {
  url: string;
  pid: number;
  /** In whole megabytes, as the system counts them: now, and the peak since it was last reset. */
  memory(): { now: number; peak: number };
  forgetPeak(): void;
  /** What it has written so far; empty unless `keepOutput` is set. */
  output(): { stdout: Buffer; stderr: Buffer };
  /** Sends SIGTERM, or another signal; resolves with the exit code, or the signal that ended it, after its last output. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
  /** `kill -9`, unless it has ended. */
  kill(): Promise<void>;
}

export async function startProgram(
  command: Command,
  env: Record<string, string>,
  { keepOutput = false } = {},
): Promise<Program> {
  const child = spawn(process.execPath, [PROGRAM, command], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://127.0.0.1:0',
      LOG_LEVEL: 'error',
      DEMO: 'off',
      ...env,
    },
    cwd: env.DATA_DIR,
    stdio: ['ignore', 'pipe', keepOutput ? 'pipe' : 'inherit'],
  });
  const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  if (keepOutput)
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.on('data', (chunk: Buffer) => kept[name].push(chunk));
  const url = await readyAt(child, command);
  const file = (name: string) => `/proc/${child.pid}/${name}`;
  const megabytes = (name: string) =>
    Math.round(
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(file('status'), 'utf8'))?.[1]) / 1024,
    );
  return {
    url,
    pid: child.pid as number,
    memory: () => ({ now: megabytes('VmRSS'), peak: megabytes('VmHWM') }),
    forgetPeak: () => writeFileSync(file('clear_refs'), '5'),
    output: () => ({ stdout: Buffer.concat(kept.stdout), stderr: Buffer.concat(kept.stderr) }),
    async stop(signal = 'SIGTERM') {
      const closed = once(child, 'close');
      child.kill(signal);
      const [code, by] = await closed;
      return code ?? by;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function readyAt(child: ChildProcess, command: Command): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk;
      const ready = readyUrl(output);
      if (!ready) return;
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', listen).resume();
      resolve(ready);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', listen);
    child.once('close', () => reject(new Error(`"${command}" did not start: ${output}`)));
  });
}

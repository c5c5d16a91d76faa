// Commands of the program as real processes, for proofs that watch their memory and their exit.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from '../../src/config/config.js';

const MAIN = process.env.AIRDATE_TEST_MAIN ?? fileURLToPath(new URL('../../src/main.js', import.meta.url));

export interface Program {
  url: string;
  /** In whole megabytes, as the system counts them: now, and the peak since it was last reset. */
  memory(): { now: number; peak: number };
  forgetPeak(): void;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | string>;
  /** `kill -9`, unless it has ended. */
  kill(): Promise<void>;
}

export async function startProgram(command: Command, env: Record<string, string>): Promise<Program> {
  const child = spawn(process.execPath, [MAIN, command], {
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
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyAt(child, command);
  const file = (name: string) => `/proc/${child.pid}/${name}`;
  const megabytes = (name: string) =>
    Math.round(
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(file('status'), 'utf8'))?.[1]) / 1024,
    );
  return {
    url,
    memory: () => ({ now: megabytes('VmRSS'), peak: megabytes('VmHWM') }),
    forgetPeak: () => writeFileSync(file('clear_refs'), '5'),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code, signal] = await exited;
      return code ?? signal;
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
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      const ready = /is ready at (\S+)\n/.exec(said)?.[1];
      if (ready) resolve(ready);
    });
    child.once('close', () => reject(new Error(`"${command}" did not start: ${said}`)));
  });
}

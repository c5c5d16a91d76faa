// One process of the trial: its log in a file, and every way in which it starts, ends, hangs and comes back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const READY_WITHIN_MS = 60_000;

export class Part {
  #child = null;
  #exited = null;
  #options;

  /**
   * `command` is the program with its arguments; `isReady` is asked until it says so.
   * @param {{ name: string, dir: string, command: string[], env?: object, owner?: object, isReady: () => Promise<boolean> }} options
   */
  constructor(options) {
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Another program or other settings from the next start on. */
  change(changes) {
    this.#options = { ...this.#options, ...changes };
  }

  async start() {
    const { name, dir, command, env, owner = {}, isReady } = this.#options;
    this.log = join(dir, `${name}.log`);
    const log = openSync(this.log, 'a');
    const [program, ...args] = command;
    this.#child = spawn(program, args, { cwd: dir, env, ...owner, stdio: ['ignore', log, log] });
    this.#exited = once(this.#child, 'exit');
    this.#exited.catch(() => {});
    for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await delay(50)) {
      if (this.hasEnded) break;
      if (await isReady().catch(() => false)) return this;
    }
    throw new Error(`${name} did not start:\n${readFileSync(this.log, 'utf8').slice(-2000)}`);
  }

  get hasEnded() {
    return this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when the process has ended, with its exit code or the signal. */
  async end(signal = 'SIGTERM') {
    if (this.hasEnded) return null;
    this.#child.kill(signal);
    const [code, by] = await this.#exited;
    return code ?? by;
  }

  /** Ends it and every process that it has started: nginx, killed alone, leaves its own behind. */
  async endAll() {
    if (this.hasEnded) return;
    const started = descendants(this.pid);
    await this.end('SIGKILL');
    for (const pid of started)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended with the other.
      }
  }

  /** Ends it in order; anything but exit code 0 is a mistake of the program. */
  async stop() {
    const code = await this.end();
    if (code !== 0 && code !== null) throw new Error(`${this.name} stopped with ${code}`);
  }

  signal(name) {
    this.#child.kill(name);
  }
}

/** Below the ports of outgoing connections, so that none of those takes it before it is used. */
export async function unusedPort() {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** The processes that a process has started, and theirs. */
export function descendants(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return children.flatMap((child) => [Number(child), ...descendants(child)]);
}

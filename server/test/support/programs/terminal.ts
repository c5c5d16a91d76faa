// A terminal as a person has it after cloning the repository: one shell that runs what is typed, block after block, and
// keeps its variables and background processes in between.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));

/** Only to notice a hang: the recipes wait in loops that a failure would keep running for ever. */
const HANG_MS = 180_000;
const STOP_MS = 30_000;

/** Says which of these programs are missing; on CI nothing may be skipped. */
export function skipWithout(...programs: string[]): string | false {
  const missing = programs.filter(
    (program) => spawnSync('sh', ['-c', 'command -v "$0"', program]).status !== 0,
  );
  return (
    missing.length > 0 && !process.env.CI && `not tried, because these are missing: ${missing.join(', ')}`
  );
}

export class Terminal {
  /** Its folder: looks like a fresh clone, with its build, without data and without a .env file. */
  readonly folder = mkdtempSync(join(tmpdir(), 'airdate-terminal-'));
  private readonly done = `done-${randomUUID()}`;
  private readonly shell: ChildProcess;
  private readonly ended: Promise<unknown>;
  private transcript = '';
  private typed = 0;

  constructor() {
    for (const name of ['package.json', 'node_modules', 'scripts', 'server', 'sdk', 'cli', 'web', 'docs'])
      symlinkSync(join(ROOT, name), join(this.folder, name));
    this.shell = spawn('bash', ['-euo', 'pipefail', '-s'], {
      cwd: this.folder,
      // Its own home folder: no settings of the person who runs the tests.
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        npm_config_update_notifier: 'false',
        // What the guides install lies in the clone.
        npm_config_offline: 'true',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Its own process group, by which everything started here is stopped.
      detached: true,
    });
    this.ended = once(this.shell, 'exit');
    for (const stream of [this.shell.stdout, this.shell.stderr])
      stream?.on('data', (chunk) => {
        this.transcript += chunk;
      });
    // The shell outlives SIGTERM and a failed command for as long as it has background processes, so that all are reaped.
    this.type(`trap : TERM\ntrap 'echo "${this.done} $?"; until wait; do :; done' EXIT`);
  }

  /** Runs these commands and returns their output. Fails with the first command that fails. */
  async run(commands: string): Promise<string> {
    const before = this.transcript.length;
    const file = join(this.folder, `.typed-${++this.typed}.sh`);
    writeFileSync(file, commands);
    this.type(`. ${file} < /dev/null; echo "${this.done} 0"`);
    const status = await this.statusAfter(before);
    const output = this.transcript.slice(before).replace(new RegExp(`${this.done} .*\n`), '');
    if (status !== '0') throw new Error(`it ended with ${status}:\n${commands}\n${output}\n${this.logs()}`);
    return output;
  }

  async close(): Promise<void> {
    this.signal('SIGTERM');
    this.shell.stdin?.end();
    const late = setTimeout(() => this.signal('SIGKILL'), STOP_MS);
    await this.ended.finally(() => clearTimeout(late));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private type(line: string): void {
    this.shell.stdin?.write(`${line}\n`);
  }

  private statusAfter(before: number): Promise<string> {
    // What was printed before it need not end its line.
    const mark = new RegExp(`${this.done} (\\d+)\n`);
    return new Promise((resolve) => {
      const late = setTimeout(() => finish('no status: it hangs'), HANG_MS);
      const check = () => {
        const status = mark.exec(this.transcript.slice(before))?.[1];
        if (status !== undefined) finish(status);
      };
      const finish = (status: string) => {
        clearTimeout(late);
        this.shell.stdout?.off('data', check);
        resolve(status);
      };
      this.shell.stdout?.on('data', check);
      this.ended.then(() => finish('no status: the shell is gone'));
      check();
    });
  }

  private logs(): string {
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.log'));
    return names
      .map((name) => `${name}:\n${readFileSync(join(this.folder, name), 'utf8').slice(-3000)}`)
      .join('\n');
  }

  private signal(name: NodeJS.Signals): void {
    if (this.shell.exitCode === null && this.shell.signalCode === null)
      process.kill(-(this.shell.pid as number), name);
  }
}

// The command line, started as a process with an environment and a home folder of its own.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyday } from '../runner/test-tiers.js';
import { COMMAND_LINE, JOINED_COMMAND_LINE } from './joined-programs.js';

/** On ordinary days, tests of terminals, agents and completion start the built program as people do, and the others a joined one. */
const STARTED = everyday(JOINED_COMMAND_LINE, COMMAND_LINE);

/** Only to notice a hang. */
const HANG_MS = 120_000;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The lines of stdout as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
  rows: any[];
}

export class Cli {
  private readonly program: string;
  readonly home = mkdtempSync(join(tmpdir(), 'airdate-cli-'));
  env: Record<string, string> = {};

  constructor(program = STARTED) {
    this.program = program;
  }

  /** Runs to its end, whatever that is. No key that it was given may be printed. */
  async run(args: string[], input = '', env: Record<string, string> = {}): Promise<Ended> {
    const running = this.start(args, env);
    running.child.stdin?.end(input);
    const ended = await running.ended;
    const all = { ...this.env, ...env };
    for (const secret of [
      all.AIRDATE_API_KEY,
      all.AIRDATE_ADMIN_TOKEN,
      ...(input.match(/ad_\w{20,}/g) ?? []),
    ])
      assert.ok(!secret || !(ended.stdout + ended.stderr).includes(secret), 'a key was printed');
    return ended;
  }

  /** Must succeed; returns the objects that it printed. */
  async ok(...args: string[]): Promise<Ended['rows']> {
    const { code, rows, stderr } = await this.run(args);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return rows;
  }

  /** Must end with this code; returns what it said about it. */
  async fails(expected: number, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    assert.equal(code, expected, `${args.join(' ')}: ${stdout} ${stderr}`);
    return stderr;
  }

  /** Starts it, and goes on. */
  start(args: string[], env: Record<string, string> = {}): Running {
    return new Running(
      spawn(process.execPath, [this.program, ...args], {
        env: { PATH: process.env.PATH, HOME: this.home, ...this.env, ...env },
        cwd: this.home,
        timeout: HANG_MS,
      }),
    );
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

export class Running {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  readonly child: ChildProcess;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      this.stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => {
        const { stdout, stderr } = this;
        resolve({ code, stdout, stderr, rows: this.rows });
      });
    });
  }

  get rows(): Ended['rows'] {
    return this.stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  }
}

// Real processes of the program that can be killed, paused and started again, each known by its own process id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from '../../../src/config/config.js';
import { readyUrl } from '../../support/programs/greeting.js';
import { PROGRAM } from '../../support/programs/joined-programs.js';

export class KillableProcess {
  url = '';
  /** Counts its starts. */
  life = 0;
  /** Exits that the test did not order, of a process that had been up. */
  readonly complaints: string[] = [];
  private readonly command: Command;
  private readonly env: Record<string, string>;
  private child: ChildProcess | null = null;
  private ended: Promise<unknown> = Promise.resolve();
  private paused = false;
  private ordered = false;

  constructor(command: Command, env: Record<string, string>) {
    this.command = command;
    this.env = env;
  }

  /** Restarts it as long as its database is away. */
  async start(): Promise<this> {
    for (let tries = 1; !(await this.startOnce()); tries++)
      if (tries === 50) throw new Error(`${this.command} does not start`);
    return this;
  }

  private async startOnce(): Promise<boolean> {
    this.life++;
    this.ordered = false;
    this.paused = false;
    const child = spawn(process.execPath, [PROGRAM, this.command], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        HOST: '127.0.0.1',
        PUBLIC_URL: 'http://127.0.0.1:0',
        LOG_LEVEL: 'fatal',
        ...this.env,
      },
      cwd: this.env.DATA_DIR,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    let output = '';
    let isUp = false;
    this.ended = once(child, 'exit').then(([code, signal]) => {
      if (isUp && !this.ordered)
        this.complaints.push(`${this.command} ended with ${code ?? signal}: ${output}`);
    });
    const up = new Promise<boolean>((resolve) => {
      const listen = (chunk: Buffer) => {
        output = (output + chunk).slice(-4000);
        const url = readyUrl(output);
        if (url === undefined || isUp) return;
        this.url = url;
        isUp = true;
        resolve(true);
      };
      child.stdout?.on('data', listen);
      child.stderr?.on('data', listen);
      child.once('exit', () => resolve(false));
    });
    return up;
  }

  get isPaused(): boolean {
    return this.paused;
  }

  pause(): void {
    this.paused = true;
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.paused = false;
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.ordered = true;
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }
}

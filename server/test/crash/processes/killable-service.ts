// A service as a process that may be killed at any moment and restarts with the same data folder.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { killableProgram } from '../../support/programs/joined-programs.js';
import type { Armed } from '../programs/stops.js';

const PROGRAM = killableProgram('service-with-stops');

/** Far more than a slow machine takes between the end of a connection and the end of its process. */
const HANG_MS = 300_000;

export interface Life {
  url: string;
  child: ChildProcess;
  ended: Promise<void>;
}

export class KillableService {
  lives = 0;
  /** Errors in its log, and exits that the test did not cause. */
  readonly complaints: string[] = [];
  private readonly env: Record<string, string>;
  private life: Promise<Life>;
  private stopping = false;

  constructor(env: Record<string, string>) {
    this.env = env;
    this.life = this.live();
  }

  private live(): Promise<Life> {
    const life = this.start();
    life.catch(() => {}); // callers that await it get the error
    return life;
  }

  private async start(): Promise<Life> {
    const child = fork(PROGRAM, [], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        HOST: '127.0.0.1',
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'error',
        ...this.env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.lives++;
    let output = '';
    let isUp = false;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    const ended = once(child, 'close').then(([code, signal]) => {
      if (output !== '') this.complaints.push(output);
      if (signal !== 'SIGKILL') this.complaints.push(`the service ended with ${code ?? signal}`);
      // Before `ended` resolves, so that its callers find the next life.
      if (!this.stopping && isUp) this.life = this.live();
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (message: { url: string }) => resolve(message.url));
      child.once('close', () => reject(new Error(`the service did not start:\n${output}`)));
    });
    isUp = true;
    return { url, child, ended };
  }

  /** Its current URL, and a promise of its exit. */
  current(): Promise<Life> {
    return this.life;
  }

  /** Makes the process kill itself at this stop. */
  async arm(armed: Armed): Promise<void> {
    const { child } = await this.life;
    const answered = once(child, 'message');
    child.send(armed);
    await answered;
  }

  async kill(): Promise<void> {
    const { child, ended } = await this.life;
    child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const life = await this.life.catch(() => null);
    life?.child.kill('SIGKILL');
    await life?.ended;
    this.life = Promise.reject(new Error('the service was stopped'));
    this.life.catch(() => {});
  }
}

/**
 * Runs a request in this life of the service. Null if the process died meanwhile; a connection that breaks while the
 * process lives is a failure.
 */
export async function inLife<T>(life: Life, request: (url: string) => Promise<T>): Promise<T | null> {
  try {
    return await request(life.url);
  } catch (error) {
    let timer: NodeJS.Timeout | undefined;
    const hang = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(error), HANG_MS);
    });
    await Promise.race([life.ended, hang]).finally(() => clearTimeout(timer));
    return null;
  }
}

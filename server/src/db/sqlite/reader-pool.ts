// Long reads of SQLite, in processes of their own: the driver is synchronous, so a read of a second would stop this process for a
// second. A read that takes too long is ended with its process, which SQLite allows at any moment.
//
// Why not threads: the driver (libsql 0.5) aborts the whole process when it is used in a worker thread.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { createLimiter } from '../../core/concurrency.js';
import { unavailable } from '../../core/problems.js';
import type { ReadRequest, ReadResponse } from './reader-process.js';

const CHILD = fileURLToPath(new URL('./reader-process.js', import.meta.url));

/** Each takes about 45 MB. Those that are idle end after a while. */
const MAX_PROCESSES = 2;
const IDLE_MS = 60_000;
/** The same as the time limit of a statement on Postgres. */
const MAX_MS = 15_000;
const HEAP_MB = 64;

export class ReaderPool implements DatabaseConnection {
  private readonly file: string;
  /** A plain limiter: what reads here has waited in a fair queue already (app/queues.ts), or is an export. */
  private readonly limited = createLimiter(MAX_PROCESSES);
  /** The processes that run or are being started. */
  readonly alive = new Set<ChildProcess>();
  private readonly idle: { child: ChildProcess; end: NodeJS.Timeout }[] = [];

  constructor(file: string) {
    this.file = file;
  }

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return this.run(sql, parameters);
  }

  run<R>(sql: string, parameters: readonly unknown[] = []): Promise<QueryResult<R>> {
    return this.limited(async () => {
      const child = this.take();
      const answer = await ask(child, { sql, parameters });
      this.giveBack(child);
      return resultOf<R>(answer);
    });
  }

  readonly streamQuery = noStreams;

  /** The statements of the work run in one process, in one transaction, and see one state of the database. */
  inOneTransaction<T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.limited(async () => {
      const child = this.take();
      const say = (sql: string) => ask(child, { sql, parameters: [] });
      try {
        await say('begin');
        return await work({
          executeQuery: async <R>({ sql, parameters }: CompiledQuery) =>
            resultOf<R>(await ask(child, { sql, parameters })),
          streamQuery: noStreams,
        });
      } finally {
        await say('commit').then(
          () => this.giveBack(child),
          () => child.kill('SIGKILL'),
        );
      }
    });
  }

  async close(): Promise<void> {
    for (const { end } of this.idle) clearTimeout(end);
    await Promise.all([...this.alive].map(kill));
  }

  private take(): ChildProcess {
    const waiting = this.idle.pop();
    if (waiting) {
      clearTimeout(waiting.end);
      return waiting.child;
    }
    const child = fork(CHILD, [this.file], {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      // It needs none of our secrets.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.alive.add(child);
    child.once('exit', () => this.forget(child));
    child.on('error', () => {
      // A process that could not be started never exits.
      if (child.pid === undefined) this.forget(child);
    });
    return child;
  }

  private forget(child: ChildProcess): void {
    this.alive.delete(child);
    const at = this.idle.findIndex((waiting) => waiting.child === child);
    if (at !== -1) clearTimeout(this.idle.splice(at, 1)[0]?.end);
  }

  private giveBack(child: ChildProcess): void {
    if (!child.connected) return;
    this.idle.push({ child, end: setTimeout(() => child.kill('SIGKILL'), IDLE_MS).unref() });
  }
}

// biome-ignore lint/correctness/useYield: the driver has no cursor, and nothing here streams
async function* noStreams<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('rows are not streamed from SQLite');
}

function resultOf<R>(answer: ReadResponse): QueryResult<R> {
  if ('rows' in answer) return { rows: answer.rows as R[] };
  throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
}

function ask(child: ChildProcess, question: ReadRequest): Promise<ReadResponse> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onEnd).off('error', onEnd);
      // An idle one does not keep this process alive.
      child.unref();
      child.channel?.unref();
    };
    const onMessage = (answer: ReadResponse) => {
      settle();
      resolve(answer);
    };
    const onEnd = (cause: unknown) => {
      settle();
      reject(unavailable('The database takes too long to answer this. Try again in a moment.', cause));
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), MAX_MS);
    child.ref();
    child.channel?.ref();
    child.on('message', onMessage).once('exit', onEnd).once('error', onEnd);
    child.send(question, (error) => error && onEnd(error));
  });
}

async function kill(child: ChildProcess): Promise<void> {
  // A process that is failing to start has no id, and never exits.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.ref();
  child.kill('SIGKILL');
  await gone;
}

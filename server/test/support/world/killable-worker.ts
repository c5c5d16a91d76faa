// Another worker on the same database, which stops for ever, or for a while, at a point that a test names.

import assert from 'node:assert/strict';
import { Kysely } from 'kysely';
import type { App } from '../../../src/app/app.js';
import type { Connector } from '../../../src/connectors/connector.js';
import type { Database } from '../../../src/db/database.js';
import type { Tables } from '../../../src/db/tables.js';
import { createEngine, type Engine } from '../../../src/publishing/schedule/engine.js';

import { handleAround } from './handle-around.js';

type Call = (...given: unknown[]) => unknown;

export function onEachCall(
  real: Connector,
  around: (call: Call, given: unknown[], name: keyof Connector) => unknown,
): Connector {
  const calls = Object.entries(real)
    .filter(([, member]) => typeof member === 'function')
    .map(([name, call]) => [
      name,
      (...given: unknown[]) => around(call as Call, given, name as keyof Connector),
    ]);
  return { ...real, ...Object.fromEntries(calls) };
}

/** Where a worker stops: before or after a call to the platform, before a transaction begins, or before it commits. */
export interface Points {
  before?: keyof Connector;
  after?: keyof Connector;
  /** Counted from the start of the worker, or from `after` if that is given too. */
  transaction?: number;
  /** Counted in the same way: everything is written, and no other connection can see it yet. */
  commit?: number;
}

/** A promise and its resolver. */
function moment(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((come) => {
    resolve = come;
  });
  return { promise, resolve };
}

const never = () => new Promise<never>(() => {});

/** From its point on, the database and the platform never answer this worker again, unless it is only paused. */
export class KillableWorker {
  points: Points = {};
  engine!: Engine;
  app!: App;
  private isDead = false;
  private transactions = 0;
  private readonly died = moment();
  private readonly woken = moment();

  begin(app: App): void {
    this.app = app;
    this.engine = createEngine(app);
  }

  /** Runs until it stops. */
  async work(...kinds: ('publish' | 'transfer' | 'poll')[]): Promise<void> {
    const run = async () => {
      for (const kind of kinds) {
        await this.engine[kind]();
        await this.engine.idle();
      }
      assert.fail('the worker has not reached its point');
    };
    await Promise.race([this.died.promise, run()]);
  }

  /** Ends a pause: everything that the worker waits for continues. */
  async wake(): Promise<void> {
    this.points = {};
    this.isDead = false;
    this.woken.resolve();
    await this.engine.idle();
  }

  close(): Promise<void> {
    return this.app.close();
  }

  private stop(): Promise<void> {
    this.isDead = true;
    this.died.resolve();
    return this.woken.promise;
  }

  connector(real: Connector): Connector {
    return onEachCall(real, (call, given, name) => {
      if (!isAsync(name)) return call(...given);
      return (async () => {
        if (this.isDead) await this.woken.promise;
        const { before, after, transaction, commit } = this.points;
        if (before === name) await this.stop();
        const answer = await call(...given);
        if (after === name && (transaction ?? commit) === undefined) await this.stop();
        if (after === name) {
          this.transactions = 0;
          delete this.points.after;
        }
        return answer;
      })();
    });
  }

  database(real: Database): Database {
    const isAlive = () => (this.isDead ? this.woken.promise : null);
    return {
      engine: real.engine,
      maxTransactions: real.maxTransactions,
      capacity: real.capacity,
      search: real.search,
      isDiskFull: real.isDiskFull,
      readChangeStamp: real.readChangeStamp,
      read: new Kysely<Tables>(
        handleAround(real.read, async (statement) => {
          await isAlive();
          return statement();
        }),
      ),
      get readLong() {
        return isAlive() === null ? real.readLong : (limbo() as Database['read']);
      },
      readSnapshot: async (name, work) => {
        if (this.isDead) await this.woken.promise;
        return real.readSnapshot(name, work);
      },
      transact: async (work) => {
        if (this.isDead) await this.woken.promise;
        const { transaction, commit, after } = this.points;
        const number = after === undefined && this.engine !== undefined ? ++this.transactions : 0;
        if (number > 0 && number === transaction) await this.stop();
        if (number === 0 || number !== commit) return real.transact(work);
        return real.transact(async (tx) => {
          const result = await work(tx);
          await this.stop();
          return result;
        });
      },
      readWithTimeout: async (ms, work) => {
        await isAlive();
        return real.readWithTimeout(ms, work);
      },
      indexPendingBatch: () => real.indexPendingBatch(),
      countPendingPosts: (limit) => real.countPendingPosts(limit),
      connections: () => real.connections(),
      now: () => real.now(),
      listen: (listener) => real.listen(listener),
      isPolling: () => real.isPolling(),
      withMigrationLock: (work) => real.withMigrationLock(work),
      close: () => real.close(),
    };
  }
}

const SYNCHRONOUS: readonly (keyof Connector)[] = [
  'describe',
  'check',
  'lostAnswerPolicy',
  'resumeAt',
  'authorizeUrl',
  'readWebhook',
];
const isAsync = (name: keyof Connector) => !SYNCHRONOUS.includes(name);

/** A query that can be written and is never answered. */
function limbo(): unknown {
  return new Proxy(() => {}, {
    get: (_target, name) => (String(name).startsWith('execute') ? never : limbo()),
    apply: () => limbo(),
  });
}

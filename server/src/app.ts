// The composition root: Config → App. Everything is built here, in order, and passed on; nothing is looked up.
import { join } from 'node:path';
import { type Clock, systemClock } from './clock.js';
import type { Config } from './config.js';
import type { Database } from './db/database.js';
import { callGuard, isGuardCheap, noGuard, type TransactionGuard } from './db/guard.js';
import { createHotReads, type HotReads } from './db/hot-reads.js';
import { migrate } from './db/migrate.js';
import { openPostgres } from './db/postgres.js';
import { openSqlite } from './db/sqlite.js';
import { idGenerator } from './ids.js';
import { createKeyCache, type KeyCache } from './keys/key-cache.js';
import { createLog, type Log } from './log.js';
import { createSeal, keptEncryptionKey, type Seal } from './seal.js';

/** What every part of the service may use. */
export interface App {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly db: Database;
  readonly reads: HotReads;
  readonly seal: Seal;
  readonly keyCache: KeyCache;
  close(): Promise<void>;
}

/** What a use case sees inside a transaction: everything but the handles that reach around it. */
export type Inside = Omit<App, 'db' | 'reads' | 'keyCache' | 'close'>;

/** What tests put in the place of the real thing. */
export interface Overrides {
  clock?: Clock;
  log?: Log;
  guard?: TransactionGuard;
}

export function openDatabase(
  config: Config,
  log: Log,
  guard = isGuardCheap ? callGuard() : noGuard,
): Database {
  return config.databaseUrl === null
    ? openSqlite(join(config.dataDir, 'airdate.db'), guard)
    : openPostgres(config.databaseUrl, config.databasePoolSize, log, guard);
}

/** Opens the database, brings its schema up to date and assembles the parts. */
export async function openApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const log = overrides.log ?? createLog({ level: config.logLevel, human: config.logHuman });
  const db = openDatabase(config, log, overrides.guard);
  try {
    const applied = await migrate(db);
    if (applied.length > 0) log.info({ migrations: applied }, 'the database was migrated');
    const clock = overrides.clock ?? (await databaseClock(db));
    return assemble(config, log, db, clock);
  } catch (error) {
    await db.close();
    throw error;
  }
}

export function assemble(config: Config, log: Log, db: Database, clock: Clock): App {
  return {
    config,
    log,
    clock,
    newId: idGenerator(clock),
    db,
    reads: createHotReads(db),
    seal: createSeal(config.encryptionKey ?? keptEncryptionKey(config.dataDir)),
    keyCache: createKeyCache(db, clock, log),
    close: () => db.close(),
  };
}

/** The host's clock, moved to the database's, so that all hosts on one database agree about what is due. */
async function databaseClock(db: Database): Promise<Clock> {
  if (db.engine === 'sqlite') return systemClock;
  const asked = Date.now();
  const there = await db.now();
  const offset = there - (asked + Date.now()) / 2;
  return { now: () => Math.round(Date.now() + offset) };
}

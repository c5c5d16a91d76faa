// The composition root: Config → App. Everything is built here, in order, and passed on; there is no global registry.

import { join } from 'node:path';
import type { App } from './app/app.js';
import type { ProcessState } from './app/process-state.js';
import { createQueues } from './app/queues.js';
import { openRateCounters } from './app/rates.js';
import { createUploadRegistry } from './assets/in-progress.js';
import { bySystem, recordAudit, restoredAct } from './audit/record.js';
import { type Config, ConfigError } from './config/config.js';
import { hasEncryptionKey, loadOrCreateEncryptionKey } from './config/encryption-key.js';
import type { Connector } from './connectors/connector.js';
import { type CallWrapper, instrumentConnector } from './connectors/instrument-connector.js';
import { createTikTokConnector } from './connectors/tiktok/connector.js';
import { createBackground } from './core/background.js';
import { INSTANCE, VERSION } from './core/build.js';
import { type Clock, systemClock } from './core/clock.js';
import { createSingleFlight } from './core/concurrency.js';
import { type RunningClock, startDatabaseClock } from './core/database-clock.js';
import { idGenerator } from './core/ids.js';
import { createLog, type Log, toLogFields } from './core/log.js';
import { createProcessMetrics } from './core/meters.js';
import { createOutbound } from './core/outbound/outbound.js';
import type { Resolve } from './core/outbound/resolve.js';
import { createPasswords } from './core/passwords.js';
import { createSeal, deriveKey } from './core/seal.js';
import { createSpans } from './core/spans.js';
import { Tally } from './core/tally.js';
import type { Database } from './db/database.js';
import { assertSchemaFits, migrate } from './db/migrate.js';
import { openPostIndex } from './db/open-post-index.js';
import { warnAboutPostgresSettings } from './db/postgres/advice.js';
import { openSqlite } from './db/sqlite/sqlite.js';
import {
  createTransactionGuard,
  isGuardCheap,
  noGuard,
  type TransactionGuard,
} from './db/transaction-guard.js';
import { createSessionCache } from './identity/auth/session-cache.js';
import { SignInBackoff } from './identity/auth/sign-in-backoff.js';
import { createKeyCache } from './identity/keys/key-cache.js';
import { instrumentCall } from './instrument-call.js';
import { assertEncryptionKey } from './key-check.js';
import { openDiskStore } from './object-store/disk/disk.js';
import type { ObjectStore } from './object-store/object-store.js';
import { createSearchThrottle } from './posts/list/search.js';
import { createKnownSlides } from './publishing/attempt/slide-server.js';
import { resumeAfterReconnect } from './publishing/attempt/waiting.js';
import { createResponseCache } from './request/response-cache.js';
import { startSafety } from './restore-safety/monitor.js';
import { withDeletionsBlocked } from './restore-safety/safety.js';

/** What tests replace. */
export interface Overrides {
  clock?: Clock;
  log?: Log;
  guard?: TransactionGuard;
  /** The monotonic clock by which the database's time advances. */
  steadyNow?: () => number;
  /** Wrap the real ones, for fault injection. */
  database?: (real: Database) => Database;
  connector?: (real: Connector) => Connector;
  /** Further platforms. */
  connectors?: Readonly<Record<string, Connector>>;
  store?: (real: ObjectStore) => ObjectStore;
  /** Resolves the names of customers' hosts. */
  resolve?: Resolve;
}

/** Lines in JSON name the process that wrote them; a person at a terminal knows it. */
export const openLog = ({ command, logLevel, logHuman }: Config): Log =>
  createLog({
    level: logLevel,
    human: logHuman,
    writer: { role: command, instance: INSTANCE, version: VERSION },
  });

export async function openDatabase(
  config: Config,
  log: Log,
  guard = isGuardCheap ? createTransactionGuard() : noGuard,
): Promise<Pick<App, 'db' | 'workerDb'>> {
  if (config.databaseUrl === null) {
    const db = openSqlite(join(config.dataDir, 'airdate.db'), guard);
    return { db, workerDb: db };
  }
  // Loaded when it is needed: on SQLite the driver would only make the start longer.
  const { openPostgresHandles } = await import('./db/postgres/postgres.js');
  return openPostgresHandles(config.databaseUrl, config.databasePoolSize, log, {
    guard,
    pooler: config.databasePooler,
    listenUrl: config.databaseListenUrl,
    forWorker: workerConnections(config),
  });
}

/** With a pool of two, neither is reserved for the worker: requests may need both, as an export keeps one while it lasts. */
const workerConnections = ({ command, databasePoolSize }: Config): number =>
  command === 'serve' ? Math.floor(databasePoolSize / 3) : 0;

/** What the worker sees: the same parts, on its own connections. */
export const appOfWorker = (app: App): App => (app.workerDb === app.db ? app : { ...app, db: app.workerDb });

/** Opens the database, brings its schema up to date and assembles the parts. */
export async function openApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const log = overrides.log ?? openLog(config);
  const meters = createProcessMetrics();
  const spans = createSpans();
  const opened = await openDatabase(config, log, overrides.guard);
  const wrap = overrides.database ?? ((real) => real);
  const db = wrap(opened.db);
  const workerDb = opened.workerDb === opened.db ? db : wrap(opened.workerDb);
  try {
    if (config.migratesAtStart) await bringUpToDate(db, log);
    else await assertSchemaFits(db);
    if (db.engine === 'postgres') await warnAboutPostgresSettings(db, config, log);
    const postIndex = await openPostIndex(db, log);
    const masterKeys = masterKeysOf(config);
    const seal = createSeal(...masterKeys);
    await assertEncryptionKey(db, seal);
    const clock = overrides.clock
      ? { ...pinned(overrides.clock), stop: () => {} }
      : await databaseClock(workerDb, log, overrides.steadyNow);
    const urls = { publicUrl: config.publicUrl, ownUrl: `http://127.0.0.1:${config.port}` };
    const openedStore = await openStore(config, clock, masterKeys, urls);
    const files = overrides.store?.(openedStore) ?? openedStore;
    await files.check().catch((err) => {
      // A wrong configuration fails the start instead of the first upload. A store that is briefly unreachable does not.
      if (err instanceof ConfigError) throw err;
      log.warn(toLogFields(err), 'the file store does not answer; uploads wait until it does');
    });
    const connector = connectorsFor(config, urls, instrumentCall(meters, spans), overrides);
    const newId = idGenerator(clock);
    const safety = await startSafety({
      db: workerDb,
      store: files,
      storeName: storeNameOf(config),
      clock,
      log,
      intervalMs: config.aliveIntervalMs,
      doubtMs: config.aliveDoubtMs,
      onRestored: (tx, reason) => recordAudit({ newId }, tx, bySystem(null), restoredAct(reason)),
    });
    const background = createBackground();
    const rates = await openRateCounters(config, log);
    return {
      config,
      log,
      meters,
      spans,
      clock,
      newId,
      db,
      workerDb,
      postIndex,
      queues: createQueues(db.capacity),
      seal,
      store: withDeletionsBlocked(files, safety),
      connector,
      urls,
      outbound: createOutbound(config.webhookAllow, overrides.resolve),
      keyCache: createKeyCache(db, clock, log),
      sessionCache: createSessionCache(db, clock, log),
      passwords: createPasswords(),
      rates,
      safety,
      background,
      mail: null,
      onConnected: (tx, account) => resumeAfterReconnect(tx, account, clock.now()),
      state: createProcessState(),
      async close() {
        safety.stop();
        clock.stop();
        rates.close();
        await background.end();
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

function createProcessState(): ProcessState {
  return {
    responses: createResponseCache(),
    exporting: new Set(),
    signIns: new SignInBackoff(),
    renewals: new Map(),
    uploads: createUploadRegistry(),
    arrivingBytes: new Tally(),
    inspections: new Map(),
    joins: createSingleFlight(),
    admittedImports: new Tally(),
    searchThrottle: createSearchThrottle(),
    leased: new Set(),
    knownSlides: createKnownSlides(),
    countedDays: new Map(),
  };
}

async function bringUpToDate(db: Database, log: Log): Promise<void> {
  const applied = await migrate(db);
  if (applied.length > 0) log.info({ migrations: applied }, 'the database was migrated');
}

/** SQLite runs on this host, so its time is this host's. */
const databaseClock = async (db: Database, log: Log, steadyNow?: () => number): Promise<RunningClock> =>
  db.engine === 'sqlite'
    ? { ...systemClock, stop: () => {} }
    : startDatabaseClock(() => db.now(), log, steadyNow);

/** Tests change the clock they passed, so it is read each time. */
const pinned = (clock: Clock): Clock => ({ now: () => clock.now() });

/** The store as the operator knows it: a folder, or a bucket. */
export const storeNameOf = ({ s3, dataDir }: Config): string =>
  s3 === null ? join(dataDir, 'files') : `bucket ${s3.bucket}${s3.endpoint ? ` at ${s3.endpoint}` : ''}`;

export async function openStore(
  config: Config,
  clock: Clock,
  masterKeys: readonly Buffer[],
  address: App['urls'],
): Promise<ObjectStore> {
  if (config.s3 !== null) {
    // Loaded only if it is used: the client takes 30 MB of memory.
    const { openS3Store } = await import('./object-store/s3/s3.js');
    return openS3Store(config.s3, clock);
  }
  return openDiskStore({
    root: join(config.dataDir, 'files'),
    signingKeys: masterKeys.map((key) => deriveKey(key, 'storage')),
    publicUrl: () => address.publicUrl,
  });
}

function connectorsFor(
  config: Config,
  address: App['urls'],
  around: CallWrapper,
  { connector: wrap = (real) => real, connectors = {} }: Overrides,
): App['connector'] {
  const makers: Record<string, () => Connector> = {
    tiktok: () =>
      createTikTokConnector({
        apiUrl: config.socialApiUrl ?? `${address.ownUrl}/sandbox`,
        authUrl: config.socialAuthUrl ?? `${address.publicUrl}/sandbox/v2/auth/authorize/`,
        clientKey: config.socialClientKey,
        clientSecret: clientSecretOf(config),
      }),
    ...Object.fromEntries(Object.entries(connectors).map(([platform, given]) => [platform, () => given])),
  };
  const made = new Map<string, Connector>();
  return (platform) => {
    const make = Object.hasOwn(makers, platform) ? makers[platform] : undefined;
    if (!make) throw new Error(`there is no connector for ${platform}`);
    const connector = made.get(platform) ?? wrap(instrumentConnector(make(), around));
    made.set(platform, connector);
    return connector;
  };
}

/** The secret between the service and its platform. With the built-in sandbox no one needs to know it. */
export const clientSecretOf = (config: Config): string =>
  config.socialClientSecret ?? deriveKey(masterKeyOf(config), 'sandbox client').toString('hex');

const masterKeyOf = (config: Config): Buffer =>
  config.encryptionKey ?? loadOrCreateEncryptionKey(config.dataDir);

const masterKeysOf = (config: Config): [Buffer, ...Buffer[]] => [
  masterKeyOf(config),
  ...config.oldEncryptionKeys,
];

/** The ids of the configured keys, the current one first; null if the current one is neither configured nor kept. */
export const keyIdsOf = (config: Config): readonly string[] | null =>
  config.encryptionKey !== null || (config.databaseUrl === null && hasEncryptionKey(config.dataDir))
    ? createSeal(...masterKeysOf(config)).keyIds
    : null;

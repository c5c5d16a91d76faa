// The commands that do one thing and exit.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { App } from './app/app.js';
import { type Config, ConfigError } from './config/config.js';
import { parseTimestamp, systemClock } from './core/clock.js';
import { createLog } from './core/log.js';
import type { Database } from './db/database.js';
import { assertSchemaFits, migrate } from './db/migrate.js';
import { recount } from './db/recount.js';
import { describeServer } from './http/server.js';
import type { ObjectStore } from './object-store/object-store.js';
import { keyIdsOf, openApp, openDatabase, openLog, openStore } from './open-app.js';
import { adoptStore } from './operator/adopt-store.js';
import { recover } from './operator/recover.js';
import { declareRestored, releaseByHand } from './operator/safe-mode-commands.js';
import { countSecrets } from './worker/reseal.js';

/** A mistake in the arguments of a command. */
export class UsageError extends Error {}

export async function migrateOnly(config: Config): Promise<void> {
  await withDatabase(config, async (db) => {
    const applied = await migrate(db);
    process.stdout.write(applied.length > 0 ? `Applied: ${applied.join(', ')}\n` : 'Nothing to apply.\n');
  });
}

export async function check(config: Config): Promise<void> {
  await withDatabase(config, async (db) => {
    await assertSchemaFits(db);
    const wrong = await recount(db);
    for (const { cell, counted, counter } of wrong)
      process.stdout.write(`${cell}: ${counted} counted, but the counter says ${counter}\n`);
    process.stdout.write(
      wrong.length === 0 ? 'All counters are right.\n' : `${wrong.length} counters are wrong.\n`,
    );
    const keyIds = keyIdsOf(config);
    const secrets = await countSecrets(db);
    for (const [keyId, n] of secrets)
      process.stdout.write(
        `Sealed with key ${keyId}${keyRoleText(keyId, keyIds)}: ${n} secret${n === 1 ? '' : 's'}.\n`,
      );
    const isUnreadable = keyIds !== null && secrets.some(([keyId]) => !keyIds.includes(keyId));
    if (wrong.length > 0 || isUnreadable) process.exitCode = 1;
  });
}

/** Empty if no key is configured to compare it with. */
function keyRoleText(keyId: string, keyIds: readonly string[] | null): string {
  if (keyIds === null) return '';
  if (keyId === keyIds[0]) return ' (current)';
  return keyIds.includes(keyId) ? ' (old)' : ' (unknown: not in ENCRYPTION_KEY or ENCRYPTION_KEYS_OLD)';
}

export async function markRestored(config: Config, args: string[]): Promise<void> {
  const { since } = parseOptions(args, { since: { type: 'string' } });
  const at = since === undefined ? null : parseTimestamp(since);
  if (since !== undefined && at === null)
    throw new UsageError(`--since must be a time such as 2026-12-01T09:00:00Z, not "${since}".`);
  await withApp(config, async (app) => {
    if (at !== null && at > app.clock.now())
      throw new UsageError(`--since is the time of the backup, but ${since} is in the future.`);
    const reason = await declareRestored(app, at);
    process.stdout.write(`Safe mode has begun: ${reason}\nEnd it with npm run end-safe-mode.\n`);
  });
}

export async function endSafeMode(config: Config, args: string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const options = parseOptions(args, { orphans: flag, 'all-slots': flag });
  await withApp(config, async (app) => {
    const chosen = { orphans: options.orphans, all_slots: options['all-slots'] };
    process.stdout.write(`${await releaseByHand(app, chosen)}\n`);
  });
}

export async function adopt(config: Config): Promise<void> {
  const store = await openFiles(config);
  await withDatabase(config, async (db) => {
    await migrate(db);
    const report = (step: string) => process.stderr.write(`${step}\n`);
    process.stdout.write(`${await adoptStore({ db, store, now: Date.now(), report })}\n`);
  });
}

export async function recoverPerson(config: Config, args: string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const email = args.find((arg) => !arg.startsWith('-'));
  if (email === undefined)
    throw new UsageError('Name a person: npm run recover -- <email> [--factors] [--verify]');
  const flags = args.filter((arg) => arg !== email);
  const { factors, verify } = parseOptions(flags, { factors: flag, verify: flag });
  await withApp(config, async (app) => {
    process.stdout.write(`${await recover(app, email, { factors, verify })}\n`);
  });
}

export function parseOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options }>>['values'] {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A wrong folder would otherwise become a new, empty installation, and the operator believes that this one was meant. */
export function assertHasDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl === null && !existsSync(join(dataDir, 'airdate.db')))
    throw new ConfigError([`DATA_DIR has no database: there is no airdate.db in ${dataDir}.`]);
}

/** Where the result is printed, log lines would only get in the way. */
export const quietLog = createLog({ level: 'silent', human: false });

/** Nothing is signed here, so the keys and addresses do not matter. */
export const openFiles = (config: Config): Promise<ObjectStore> =>
  openStore(config, systemClock, [Buffer.alloc(32)], {
    publicUrl: config.publicUrl,
    ownUrl: config.publicUrl,
  });

async function withApp(config: Config, work: (app: App) => Promise<void>) {
  assertHasDatabase(config);
  const app = await openApp(config, { log: quietLog });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

export async function withDatabase(
  config: Config,
  work: (db: Database) => Promise<void>,
  log = openLog(config),
): Promise<void> {
  const { db } = await openDatabase(config, log);
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

export async function printOpenApi(config: Config): Promise<void> {
  process.stdout.write(await describeServer(config));
}

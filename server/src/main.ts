// The command line: starts one process, prints what the operator needs, and stops it in order.

import { chmodSync } from 'node:fs';
import { collectDefaultMetrics } from 'prom-client';
import { backUp, move, restore } from './backup-commands.js';
import {
  adopt,
  check,
  endSafeMode,
  markRestored,
  migrateOnly,
  printOpenApi,
  recoverPerson,
  UsageError,
} from './commands.js';
import { type Command, type Config, ConfigError, processEnvironment, readConfig } from './config/config.js';
import { AppError } from './core/problems.js';
import { isUnreachable } from './db/failures.js';
import { MigrationError } from './db/migrate.js';
import { OperatorError } from './operator/backup/operator-error.js';
import { printReady, printStopped } from './process-output.js';
import { StoreTaken } from './restore-safety/safety.js';
import { type Service, startService } from './service.js';

const COMMANDS: Record<Command, [run: (config: Config, args: string[]) => Promise<void>, purpose: string]> = {
  serve: [run, 'API, worker, sandbox platform and dashboard in one process (default)'],
  api: [run, 'the API and the dashboard alone'],
  worker: [run, 'the background work alone'],
  sandbox: [run, 'the sandbox platform alone'],
  migrate: [migrateOnly, 'bring the database up to date and exit'],
  openapi: [printOpenApi, 'print the OpenAPI document and exit'],
  check: [
    check,
    'recount posts and bytes, count secrets by key, and exit (1 if a counter is wrong or a key unknown)',
  ],
  'safe-mode': [markRestored, 'begin safe mode by hand after a restore: [--since <time of the backup>]'],
  'end-safe-mode': [endSafeMode, 'end safe mode: [--all-slots] [--orphans]'],
  recover: [
    recoverPerson,
    'print a link that sets a new password: <email> [--factors (remove second factors)] [--verify (the email)]',
  ],
  'adopt-store': [adopt, 'take over a file store that belonged to an installation which is gone'],
  backup: [backUp, 'copy database and files, also of a running service: --to <new folder>'],
  restore: [restore, 'put a backup into an empty database and file store: --from <folder>'],
  move: [move, 'move an embedded installation to Postgres: --from <its DATA_DIR>'],
};

/** SIGTERM promises an exit within 20 seconds after the delay; unfinished work is left to the next start. */
const STOP_WITHIN_MS = 18_000;
const DUPLICATE_SIGNAL_MS = 500;

async function run(config: Config): Promise<void> {
  // Registered first: a signal during the start stops what has been started.
  const starting = startService(config);
  stopOnSignal(starting, config);
  const service = await starting;
  collectDefaultMetrics({ register: service.server.metrics.registry });
  printReady(service, config);
}

function stopOnSignal(starting: Promise<Service>, config: Config): void {
  let signalledAt: number | null = null;
  const stop = async (signal: string) => {
    // npm forwards Ctrl-C to a process that has already received it from the terminal.
    if (signalledAt !== null && performance.now() - signalledAt < DUPLICATE_SIGNAL_MS) return;
    if (signalledAt !== null) process.exit(1); // a second signal forces the exit
    signalledAt = performance.now();
    const late = setTimeout(() => process.exit(1), config.shutdownDelayMs + STOP_WITHIN_MS);
    late.unref();
    const service = await starting;
    await service.retire();
    await service.stop();
    await printStopped(service.log, config, signal);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      stop(signal).catch((error) => fail(error));
    });
}

function fail(error: unknown): never {
  process.stderr.write(`${describeStartError(error as NodeJS.ErrnoException)}\n`);
  process.exit(1);
}

/** Errors that the operator can fix are one sentence; others come with their stack. */
function describeStartError(error: NodeJS.ErrnoException & { port?: number; address?: string }): string {
  if (error instanceof ConfigError)
    return `The configuration has ${plural(error.mistakes.length, 'mistake')}:\n${error.mistakes.map((m) => `- ${m}`).join('\n')}`;
  if ([UsageError, MigrationError, AppError, OperatorError, StoreTaken].some((kind) => error instanceof kind))
    return error.message;
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${error.port} is in use. Stop what runs there, or set PORT to another one.`;
    case 'EADDRNOTAVAIL':
      return `${error.address} is not an address of this machine. Set HOST to one that is.`;
    case 'EACCES':
    case 'EROFS':
      return `Not allowed: ${error.message}. Check PORT, and who may write to DATA_DIR.`;
    case 'ENOSPC':
      return `There is no space left: ${error.message}.`;
    case '28P01':
    case '28000':
    case '3D000':
      return `The database refuses the connection: ${error.message}. Check DATABASE_URL.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `DATA_DIR is not a folder: ${error.message}.`;
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return `The database file in DATA_DIR is damaged, or is not a SQLite database: ${error.message}.`;
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
      return `The database file cannot be opened: ${error.message}. Check who may write to DATA_DIR.`;
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return `Another process keeps the database file locked: ${error.message}.`;
    default:
      if (error.code === 'ENOENT' && error.syscall === 'open')
        return `A file is missing: ${error.message}. Check DATA_DIR, and sslrootcert in DATABASE_URL.`;
      if (isCertificateFault(error))
        return `The certificate of the database is not accepted: ${error.message}. Check sslmode and sslrootcert in DATABASE_URL, and its host name.`;
      if (/unsupported startup parameter/.test(error.message))
        return 'DATABASE_URL is a pooler such as pgbouncer: set DATABASE_POOLER=transaction, and DATABASE_LISTEN_URL to Postgres itself.';
      if (isUnreachable(error))
        return `The database does not answer (${error.message || error.code}). Check DATABASE_URL, and that Postgres runs.`;
      return `Airdate cannot continue: ${error.stack ?? error}`;
  }
}

/** Node's codes for a certificate, and the driver's words for a server without TLS. */
const isCertificateFault = ({ code = '', message }: NodeJS.ErrnoException) =>
  /CERT|^UNABLE_TO_(GET|VERIFY)|^ERR_(SSL|TLS)_|^EPROTO$/.test(code) ||
  /does not support SSL|establishing an SSL connection/.test(message);

const plural = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;

const usage = Object.entries(COMMANDS).map(([name, [, purpose]]) => `  ${name.padEnd(11)} ${purpose}\n`);

/** Database, files and keys are for the user who runs the service alone. */
function keepPrivate(dataDir: string): void {
  process.umask(0o077);
  try {
    chmodSync(dataDir, 0o700);
  } catch {
    // It does not exist yet, or belongs to another user, who decides.
  }
}

async function main(name = 'serve', ...args: string[]): Promise<void> {
  if ([name, ...args].some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`The commands are:\n${usage.join('')}`);
    return;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    process.stderr.write(`There is no command "${name}". The commands are:\n${usage.join('')}`);
    process.exit(1);
  }
  const command = name as Command;
  const config = readConfig(command, processEnvironment());
  keepPrivate(config.dataDir);
  await COMMANDS[command][0](config, args);
}

main(...process.argv.slice(2)).catch(fail);

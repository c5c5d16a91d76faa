// Environment → typed, frozen Config. The only file that reads process.env; it reports all mistakes together.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Env, EnvReader } from './env-reader.js';
import { isLoopbackHost, isLoopbackUrl } from './loopback.js';
import { type PlatformConfig, readPlatform } from './platform.js';
import { type PlanQuotas, readPlanQuotas } from './quotas.js';

export { ConfigError } from './env-reader.js';

export type Command =
  | 'serve'
  | 'api'
  | 'worker'
  | 'sandbox'
  | 'migrate'
  | 'openapi'
  | 'check'
  | 'safe-mode'
  | 'end-safe-mode'
  | 'adopt-store'
  | 'recover'
  | 'backup'
  | 'restore'
  | 'move';

export interface Config extends PlatformConfig {
  command: Command;
  port: number;
  host: string;
  publicUrl: string;
  /** Whether HOST and PUBLIC_URL are both loopback, so that no other machine can reach the service. */
  isLoopbackOnly: boolean;
  dataDir: string;
  /** Postgres when set, SQLite in `dataDir` otherwise. */
  databaseUrl: string | null;
  databasePoolSize: number;
  /** Set if DATABASE_URL is a pooler, such as pgbouncer, that lends a connection for one transaction at a time. */
  databasePooler: 'transaction' | null;
  /** Where a connection can listen to other processes; null: nowhere, so their changes are polled for. */
  databaseListenUrl: string | null;
  /** Whether a start brings the schema up to date. */
  migratesAtStart: boolean;
  /** 32 bytes. Null: use the key in `dataDir`, created at the first start. */
  encryptionKey: Buffer | null;
  /** Old keys: used only to unseal, until everything is resealed with the current key. */
  oldEncryptionKeys: Buffer[];
  /** Seals the encryption key in a backup, and opens it. Null: backups do not contain it. */
  backupPassphrase: string | null;
  adminToken: string | null;
  /** Null: files are stored in `dataDir`. */
  s3: S3Config | null;
  /** How long unreferenced files are kept before they are removed. */
  garbageGraceMs: number;
  /** How often a process raises the counter that reveals a restored database. */
  aliveIntervalMs: number;
  /** How long a note that is missing or another installation's is read again before it counts as a restore. */
  aliveDoubtMs: number;
  /** How long the audit log is kept. */
  auditKeptMs: number;
  /** What a monitor sends to read /metrics; null: none is needed. */
  metricsToken: string | null;
  /** A port for /metrics alone; null: the port of everything else. */
  metricsPort: number | null;
  corsOrigins: string[];
  /** Addresses and networks of proxies whose forwarding headers are trusted. */
  trustedProxies: string[];
  /** Networks and host names that requests on behalf of customers may reach besides the public internet. */
  webhookAllow: string[];
  demo: boolean;
  /** Whether anyone but the first person may sign up. */
  signUpOpen: boolean;
  publishing: PublishingConfig;
  sandbox: SandboxConfig;
  rateLimit: { enabled: boolean; perMinute: number; agencyPerMinute: number; redisUrl: string | null };
  /** What an organization may use, by plan; the operator can change it for one. */
  quotas: PlanQuotas;
  scheduleMinLeadMs: number;
  /** How long a process that was told to stop keeps serving while /readyz already says so. */
  shutdownDelayMs: number;
  logLevel: string;
  logHuman: boolean;
}

export interface S3Config {
  bucket: string;
  /** Null: Amazon's endpoint for the region. */
  endpoint: string | null;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Puts the bucket in the path instead of in the host name. */
  forcePathStyle: boolean;
}

export interface PublishingConfig {
  /** How long a claim lasts without a heartbeat. */
  leaseMs: number;
  /** Deadline for every call to the platform. */
  platformTimeoutMs: number;
  /** Delay before the first retry; it doubles each time. */
  backoffMs: number;
  /** A slot older than this counts as missed, and is not published. */
  maxLatenessMs: number;
  reconcileIntervalMs: number;
  /** Per account; 0 means no limit. */
  initsPerMinute: number;
  postsPerDay: number;
  /** Interval of the sweep that repairs the schedule. */
  sweepMs: number;
}

export interface SandboxConfig {
  /** Enforces the platform's real rules instead of those that let everything work on one machine. */
  strict: boolean;
  /** Opens /__control, for tests. */
  control: boolean;
  processingMs: number;
  /** Null: this process's own address in `serve`, none in `sandbox`. */
  webhookUrl: string | null;
}

/** The process environment; a `.env` file in the working directory fills in what it does not set. */
export function processEnvironment(): Env {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

export function readConfig(command: Command, env: Env): Config {
  const read = new EnvReader(env);
  const port = read.integer('PORT', 3000, 0, 65535);
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const encryptionKey = read.text('ENCRYPTION_KEY');
  if (encryptionKey !== null && !isKey(encryptionKey))
    read.mistake('ENCRYPTION_KEY must be 64 hexadecimal digits. Create one with: openssl rand -hex 32');
  const oldKeys = (read.text('ENCRYPTION_KEYS_OLD') ?? '').split(',').filter((key) => key !== '');
  if (!oldKeys.every(isKey))
    read.mistake('ENCRYPTION_KEYS_OLD must be keys of 64 hexadecimal digits each, separated by commas.');
  const runsProduct = command === 'serve' || command === 'api' || command === 'worker';
  const opensDatabase = runsProduct || ['safe-mode', 'end-safe-mode', 'move', 'recover'].includes(command);
  if (opensDatabase && databaseUrl !== null && encryptionKey === null)
    read.mistake(
      'ENCRYPTION_KEY is required when DATABASE_URL is set, and must be the same for every process. Create one with: openssl rand -hex 32',
    );
  const databasePooler = read.choice('DATABASE_POOLER', 'none', ['none', 'transaction']);
  const listenUrl = read.url('DATABASE_LISTEN_URL', ['postgres:', 'postgresql:']);
  if (databaseUrl === null && (databasePooler !== 'none' || listenUrl !== null))
    read.mistake('DATABASE_URL is required when DATABASE_POOLER or DATABASE_LISTEN_URL is set.');
  if (command === 'api' || command === 'worker') checkUrls(read, command);
  const publicUrl = read.url('PUBLIC_URL', ['http:', 'https:']) ?? `http://localhost:${port}`;
  const host = read.text('HOST') ?? 'localhost';
  const isLoopbackOnly = isLoopbackHost(host) && isLoopbackUrl(publicUrl);
  const platform = readPlatform(read, command, { isLoopbackOnly, publicUrl });
  const config: Config = {
    command,
    port,
    host,
    publicUrl,
    isLoopbackOnly,
    dataDir: resolve(read.text('DATA_DIR') ?? 'data'),
    databaseUrl,
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 2, 1000),
    databasePooler: databasePooler === 'none' ? null : databasePooler,
    // Behind a pooler, listening would succeed, and hear nothing.
    databaseListenUrl: listenUrl ?? (databasePooler === 'none' ? databaseUrl : null),
    migratesAtStart: read.onOff('MIGRATE', true),
    encryptionKey: encryptionKey === null ? null : Buffer.from(encryptionKey, 'hex'),
    oldEncryptionKeys: oldKeys.map((key) => Buffer.from(key, 'hex')),
    backupPassphrase: readPassphrase(read),
    adminToken: read.secret('ADMIN_TOKEN'),
    s3: readS3(read),
    garbageGraceMs: read.integer('GARBAGE_GRACE_SECONDS', 86400, 0, 31536000) * 1000,
    aliveIntervalMs: read.integer('ALIVE_INTERVAL_MS', 5000, 100, 3_600_000),
    aliveDoubtMs: read.integer('ALIVE_DOUBT_MS', 30_000, 0, 3_600_000),
    auditKeptMs: read.integer('AUDIT_DAYS', 365, 1, 36_500) * 86_400_000,
    metricsToken: read.secret('METRICS_TOKEN'),
    metricsPort: read.integer('METRICS_PORT', 0, 1, 65535) || null,
    corsOrigins: read.origins('CORS_ORIGINS'),
    trustedProxies: read.networks('TRUST_PROXY'),
    webhookAllow: read.networksAndHosts('WEBHOOK_ALLOW'),
    demo: read.onOff('DEMO', true),
    signUpOpen: read.choice('SIGNUP', 'closed', ['closed', 'open']) === 'open',
    ...platform,
    publishing: readPublishing(read, platform.socialApiUrl === null),
    sandbox: {
      strict: read.onOff('SANDBOX_STRICT', false),
      control: read.onOff('SANDBOX_CONTROL', false),
      processingMs: read.integer('SANDBOX_PROCESSING_MS', 2000, 0, 3_600_000),
      webhookUrl: read.address('SANDBOX_WEBHOOK_URL'),
    },
    rateLimit: {
      enabled: read.onOff('RATE_LIMIT', true),
      perMinute: read.integer('RATE_LIMIT_PER_MINUTE', 6000, 1, 1e9),
      agencyPerMinute: read.integer('RATE_LIMIT_AGENCY_PER_MINUTE', 30000, 1, 1e9),
      redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    },
    quotas: readPlanQuotas(read),
    scheduleMinLeadMs: read.integer('SCHEDULE_MIN_LEAD_SECONDS', 300, 0, 86400) * 1000,
    shutdownDelayMs: read.integer('SHUTDOWN_DELAY_SECONDS', 0, 0, 120) * 1000,
    logLevel: read.choice('LOG_LEVEL', 'info', [
      'trace',
      'debug',
      'info',
      'warn',
      'error',
      'fatal',
      'silent',
    ]),
    logHuman:
      read.choice('LOG_FORMAT', process.stdout.isTTY ? 'human' : 'json', ['human', 'json']) === 'human',
  };
  read.done();
  return Object.freeze(config);
}

/** A backup may get into other hands, and there is no limit to guesses. */
function readPassphrase(read: EnvReader): string | null {
  const passphrase = read.text('BACKUP_PASSPHRASE');
  if (passphrase !== null && passphrase.length < 16)
    read.mistake('BACKUP_PASSPHRASE must have at least 16 characters.');
  return passphrase;
}

const isKey = (text: string) => /^[0-9a-fA-F]{64}$/.test(text);

/** A single process can default these; one of several cannot know where the platform and the API are. */
function checkUrls(read: EnvReader, command: 'api' | 'worker'): void {
  if (read.text('SOCIAL_API_URL') === null)
    read.mistake(
      `SOCIAL_API_URL is required by "${command}": the URL of the platform, or of a sandbox started with npm run sandbox.`,
    );
  // A worker does not serve slides: its own address would give the platform a 404.
  if (read.text('PUBLIC_URL') === null)
    read.mistake(
      `PUBLIC_URL is required by "${command}": the URL of the API, the same for every process. The platform fetches slides from it.`,
    );
}

function readPublishing(read: EnvReader, isSandbox: boolean): PublishingConfig {
  const initsPerMinute = read.integer('SOCIAL_INITS_PER_MINUTE', 6, 0, 1e6);
  const postsPerDay = read.integer('SOCIAL_POSTS_PER_DAY', 15, 0, 1e6);
  return {
    leaseMs: read.integer('PUBLISH_LEASE_SECONDS', 60, 1, 3600) * 1000,
    platformTimeoutMs: read.integer('PLATFORM_TIMEOUT_MS', 15_000, 1, 600_000),
    backoffMs: read.integer('PUBLISH_BACKOFF_MS', 30_000, 0, 86_400_000),
    maxLatenessMs: read.integer('PUBLISH_MAX_LATENESS_HOURS', 6, 1, 8760) * 3_600_000,
    reconcileIntervalMs: read.integer('RECONCILE_INTERVAL_MS', 2000, 1, 3_600_000),
    // The built-in sandbox has no limits.
    initsPerMinute: isSandbox ? 0 : initsPerMinute,
    postsPerDay: isSandbox ? 0 : postsPerDay,
    sweepMs: read.integer('SCHEDULER_SWEEP_SECONDS', 300, 1, 86_400) * 1000,
  };
}

function readS3(read: EnvReader): S3Config | null {
  const bucket = read.text('S3_BUCKET');
  const endpoint = read.url('S3_ENDPOINT', ['http:', 'https:']);
  const region = read.text('S3_REGION');
  const accessKeyId = read.text('S3_ACCESS_KEY_ID');
  const secretAccessKey = read.text('S3_SECRET_ACCESS_KEY');
  if (bucket === null) {
    if (endpoint ?? region ?? accessKeyId ?? secretAccessKey ?? read.text('S3_FORCE_PATH_STYLE'))
      read.mistake('S3_BUCKET is required when any other S3_ variable is set.');
    return null;
  }
  if (accessKeyId === null || secretAccessKey === null)
    read.mistake('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required when S3_BUCKET is set.');
  return {
    bucket,
    endpoint,
    region: region ?? 'us-east-1',
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secretAccessKey ?? '',
    // Most servers other than Amazon's have no host name per bucket.
    forcePathStyle: read.onOff('S3_FORCE_PATH_STYLE', endpoint !== null),
  };
}

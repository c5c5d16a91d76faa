import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from './config.js';
import { QUOTAS, quotaVariable } from './quotas.js';

const KEY = '0123456789abcdef'.repeat(4);
const POSTGRES = 'postgres://airdate:pass@db.example.com/airdate';
const DIRECT = 'postgres://airdate:pass@direct.example.com/airdate';
const PLATFORM = 'https://platform.example.com';

const PLANS = ['starter', 'growth', 'api_only', 'agency'];

describe('configuration by environment', () => {
  it('needs nothing: everything has a default', () => {
    const config = readConfig('serve', {});
    assert.equal(config.port, 3000);
    assert.equal(config.host, 'localhost');
    assert.equal(config.publicUrl, 'http://localhost:3000');
    assert.equal(config.dataDir, resolve('data'));
    assert.equal(config.databaseUrl, null);
    assert.equal(config.encryptionKey, null);
    assert.equal(config.adminToken, null);
    assert.deepEqual(config.corsOrigins, []);
    assert.deepEqual(config.trustedProxies, []);
    assert.equal(config.demo, true);
    assert.equal(config.signUpOpen, false);
    assert.equal(config.socialApiUrl, null);
    assert.equal(config.socialAuthUrl, null);
    assert.deepEqual(config.sandbox, {
      strict: false,
      control: false,
      processingMs: 2000,
      webhookUrl: null,
    });
    assert.deepEqual(config.rateLimit, {
      enabled: true,
      perMinute: 6000,
      agencyPerMinute: 30000,
      redisUrl: null,
    });
    assert.equal(config.scheduleMinLeadMs, 300_000);
    const others = { posts_per_day: 0, keys: 0, members: 0, accounts: 0, invitations: 0 };
    assert.deepEqual(config.quotas, {
      starter: { bytes: 20_000_000_000, ...others },
      growth: { bytes: 200_000_000_000, ...others },
      api_only: { bytes: 200_000_000_000, ...others },
      agency: { bytes: 1_000_000_000_000, ...others },
    });
  });

  it('listens at DATABASE_URL, but not through a pooler', () => {
    const listenUrl = (env: Record<string, string>) =>
      readConfig('serve', { DATABASE_URL: POSTGRES, ENCRYPTION_KEY: KEY, ...env }).databaseListenUrl;
    assert.equal(listenUrl({}), POSTGRES);
    assert.equal(listenUrl({ DATABASE_LISTEN_URL: DIRECT }), DIRECT);
    assert.equal(listenUrl({ DATABASE_POOLER: 'transaction' }), null);
  });

  it('makes PUBLIC_URL from PORT unless it is given', () => {
    assert.equal(readConfig('serve', { PORT: '8080' }).publicUrl, 'http://localhost:8080');
    const given = { PORT: '8080', PUBLIC_URL: 'https://airdate.example.com/' };
    assert.equal(readConfig('sandbox', given).publicUrl, 'https://airdate.example.com');
  });

  it('reads every variable', () => {
    const config = readConfig('api', {
      PORT: '0',
      HOST: '::1',
      PUBLIC_URL: 'https://airdate.example.com',
      DATA_DIR: '/var/lib/airdate',
      DATABASE_URL: POSTGRES,
      DATABASE_POOL_SIZE: '20',
      DATABASE_POOLER: 'transaction',
      DATABASE_LISTEN_URL: DIRECT,
      MIGRATE: 'off',
      ENCRYPTION_KEY: KEY.toUpperCase(),
      ENCRYPTION_KEYS_OLD: `${KEY},${KEY}`,
      BACKUP_PASSPHRASE: 'a passphrase of enough length',
      ADMIN_TOKEN: 'operator-token-of-enough-characters',
      S3_BUCKET: 'media',
      S3_ENDPOINT: 'https://s3.example.com/',
      S3_REGION: 'eu-central-1',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
      S3_FORCE_PATH_STYLE: 'false',
      GARBAGE_GRACE_SECONDS: '60',
      ALIVE_INTERVAL_MS: '1000',
      ALIVE_DOUBT_MS: '2000',
      AUDIT_DAYS: '30',
      METRICS_TOKEN: 'metrics-token-of-enough-characters',
      METRICS_PORT: '9464',
      CORS_ORIGINS: 'https://a.example.com, http://localhost:5173',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      WEBHOOK_ALLOW: '10.0.0.0/8, hooks.internal',
      DEMO: 'off',
      SIGNUP: 'open',
      SOCIAL_API_URL: PLATFORM,
      SOCIAL_AUTH_URL: `${PLATFORM}/v2/auth/authorize/`,
      SOCIAL_CLIENT_KEY: 'client',
      SOCIAL_CLIENT_SECRET: 'client-secret',
      SANDBOX_STRICT: 'on',
      SANDBOX_CONTROL: 'on',
      SANDBOX_PROCESSING_MS: '0',
      SANDBOX_WEBHOOK_URL: 'http://localhost:3000/webhooks/social',
      RATE_LIMIT: 'off',
      RATE_LIMIT_PER_MINUTE: '5',
      RATE_LIMIT_AGENCY_PER_MINUTE: '8',
      REDIS_URL: 'redis://cache.example.com',
      ...Object.fromEntries(
        PLANS.flatMap((plan, i) =>
          QUOTAS.map((name, j) => [quotaVariable(name, plan), String(10 * (i + 1) + j)]),
        ),
      ),
      SCHEDULE_MIN_LEAD_SECONDS: '2',
      SHUTDOWN_DELAY_SECONDS: '7',
      PUBLISH_LEASE_SECONDS: '3',
      PLATFORM_TIMEOUT_MS: '400',
      PUBLISH_BACKOFF_MS: '50',
      PUBLISH_MAX_LATENESS_HOURS: '1',
      RECONCILE_INTERVAL_MS: '70',
      SOCIAL_INITS_PER_MINUTE: '8',
      SOCIAL_POSTS_PER_DAY: '9',
      SCHEDULER_SWEEP_SECONDS: '10',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'human',
    });
    assert.deepEqual(
      { ...config },
      {
        command: 'api',
        port: 0,
        host: '::1',
        publicUrl: 'https://airdate.example.com',
        isLoopbackOnly: false,
        dataDir: '/var/lib/airdate',
        databaseUrl: POSTGRES,
        databasePoolSize: 20,
        databasePooler: 'transaction',
        databaseListenUrl: DIRECT,
        migratesAtStart: false,
        encryptionKey: Buffer.from(KEY, 'hex'),
        oldEncryptionKeys: [Buffer.from(KEY, 'hex'), Buffer.from(KEY, 'hex')],
        backupPassphrase: 'a passphrase of enough length',
        adminToken: 'operator-token-of-enough-characters',
        s3: {
          bucket: 'media',
          endpoint: 'https://s3.example.com',
          region: 'eu-central-1',
          accessKeyId: 'id',
          secretAccessKey: 'secret',
          forcePathStyle: false,
        },
        garbageGraceMs: 60_000,
        aliveIntervalMs: 1_000,
        aliveDoubtMs: 2_000,
        auditKeptMs: 30 * 86_400_000,
        metricsToken: 'metrics-token-of-enough-characters',
        metricsPort: 9464,
        corsOrigins: ['https://a.example.com', 'http://localhost:5173'],
        trustedProxies: ['10.0.0.0/8', '::1'],
        webhookAllow: ['10.0.0.0/8', 'hooks.internal'],
        demo: false,
        signUpOpen: true,
        socialApiUrl: PLATFORM,
        socialAuthUrl: `${PLATFORM}/v2/auth/authorize/`,
        socialClientKey: 'client',
        socialClientSecret: 'client-secret',
        publishing: {
          leaseMs: 3000,
          platformTimeoutMs: 400,
          backoffMs: 50,
          maxLatenessMs: 3_600_000,
          reconcileIntervalMs: 70,
          initsPerMinute: 8,
          postsPerDay: 9,
          sweepMs: 10_000,
        },
        sandbox: {
          strict: true,
          control: true,
          processingMs: 0,
          webhookUrl: 'http://localhost:3000/webhooks/social',
        },
        rateLimit: {
          enabled: false,
          perMinute: 5,
          agencyPerMinute: 8,
          redisUrl: 'redis://cache.example.com',
        },
        quotas: Object.fromEntries(
          PLANS.map((plan, i) => [
            plan,
            Object.fromEntries(QUOTAS.map((name, j) => [name, 10 * (i + 1) + j])),
          ]),
        ),
        scheduleMinLeadMs: 2_000,
        shutdownDelayMs: 7_000,
        logLevel: 'warn',
        logHuman: true,
      },
    );
  });

  it('takes an empty variable for an unset one', () => {
    const names = [
      'PORT',
      'HOST',
      'DATABASE_URL',
      'ADMIN_TOKEN',
      'ENCRYPTION_KEY',
      'RATE_LIMIT',
      'CORS_ORIGINS',
    ];
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    assert.deepEqual(readConfig('serve', empty), readConfig('serve', {}));
  });

  it('is not changed by NODE_ENV', () => {
    for (const NODE_ENV of ['production', 'test', 'development'])
      assert.deepEqual(readConfig('serve', { NODE_ENV }), readConfig('serve', {}));
  });

  it('cannot be changed once it is read', () => {
    assert.throws(() => Object.assign(readConfig('serve', {}), { port: 1 }), TypeError);
  });
});

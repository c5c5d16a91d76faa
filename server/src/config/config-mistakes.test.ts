import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Command, ConfigError, readConfig } from './config.js';

const KEY = '0123456789abcdef'.repeat(4);
const POSTGRES = 'postgres://airdate:pass@db.example.com/airdate';
const _PLATFORM = 'https://platform.example.com';

/** The sentences about what is wrong. */
function mistakesOf(env: Record<string, string>, command: Command = 'serve'): string[] {
  try {
    readConfig(command, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.mistakes;
  }
  return [];
}

describe('mistakes in the configuration', () => {
  it('are reported together, one message per mistake, each naming its variable', () => {
    const wrong: Record<string, string> = {
      PORT: '65536',
      PUBLIC_URL: 'airdate.example.com',
      DATABASE_URL: 'mysql://db.example.com',
      DATABASE_POOL_SIZE: '1',
      DATABASE_POOLER: 'statement',
      DATABASE_LISTEN_URL: 'direct.example.com',
      ENCRYPTION_KEY: 'short',
      CORS_ORIGINS: 'https://app.example.com/path',
      TRUST_PROXY: 'proxy.example.com',
      WEBHOOK_ALLOW: '10.0.0.0/8, 300.1.1.1',
      METRICS_TOKEN: 'short',
      METRICS_PORT: '65536',
      DEMO: 'maybe',
      SIGNUP: 'on',
      SOCIAL_API_URL: 'ftp://platform.example.com',
      SOCIAL_AUTH_URL: 'platform.example.com',
      SANDBOX_STRICT: 'very',
      SANDBOX_CONTROL: 'yes',
      SANDBOX_PROCESSING_MS: '2s',
      SANDBOX_WEBHOOK_URL: '/webhooks/social',
      RATE_LIMIT: 'none',
      RATE_LIMIT_PER_MINUTE: '0',
      RATE_LIMIT_AGENCY_PER_MINUTE: '-1',
      REDIS_URL: 'cache.example.com',
      QUOTA_BYTES_STARTER: '20 GB',
      QUOTA_POSTS_PER_DAY_API_ONLY: '-1',
      QUOTA_KEYS_AGENCY: '1.5',
      SCHEDULE_MIN_LEAD_SECONDS: '5 minutes',
      PUBLISH_LEASE_SECONDS: '0',
      PLATFORM_TIMEOUT_MS: '0',
      PUBLISH_BACKOFF_MS: '-1',
      PUBLISH_MAX_LATENESS_HOURS: 'never',
      RECONCILE_INTERVAL_MS: '0',
      SOCIAL_INITS_PER_MINUTE: 'six',
      SOCIAL_POSTS_PER_DAY: '1.5',
      SCHEDULER_SWEEP_SECONDS: '0',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
    };
    const mistakes = mistakesOf(wrong);
    for (const name of Object.keys(wrong))
      assert.equal(mistakes.filter((mistake) => mistake.startsWith(`${name} `)).length, 1, name);
    assert.equal(mistakes.length, Object.keys(wrong).length, mistakes.join('\n'));
  });

  it('include a bucket without its keys, and keys without a bucket', () => {
    assert.match(
      mistakesOf({ S3_BUCKET: 'media' }).join(),
      /S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required/,
    );
    assert.match(mistakesOf({ S3_REGION: 'eu-central-1' }).join(), /^S3_BUCKET is required/);
  });

  it('include a pooler, or an address to listen at, without a database', () => {
    for (const env of [{ DATABASE_POOLER: 'transaction' }, { DATABASE_LISTEN_URL: POSTGRES }])
      assert.match(mistakesOf(env).join(), /^DATABASE_URL is required/);
  });

  it('are found in numbers that only look right', () => {
    for (const PORT of ['80.5', '1e3', '0x50', '-1', '3000x', '٣٠٠٠', '9'.repeat(400)])
      assert.equal(mistakesOf({ PORT }).length, 1, PORT);
  });

  it('are found in origins that no browser would send', () => {
    for (const origin of [
      '*',
      'app.example.com',
      'https://app.example.com/',
      'https://App.example.com',
      'null',
    ])
      assert.equal(mistakesOf({ CORS_ORIGINS: `https://a.example.com,${origin}` }).length, 1, origin);
  });

  it('include an ENCRYPTION_KEY that is not 64 hex digits', () => {
    for (const key of [KEY.slice(1), `${KEY}0`, KEY.replace('0', 'g')])
      assert.match(mistakesOf({ ENCRYPTION_KEY: key }).join(), /64 hexadecimal digits/);
  });

  it('include a passphrase for backups that can be guessed', () => {
    assert.match(mistakesOf({ BACKUP_PASSPHRASE: 'fifteen letters' }).join(), /at least 16 characters/);
    assert.deepEqual(mistakesOf({ BACKUP_PASSPHRASE: 'sixteen letters!' }), []);
  });

  it('include Postgres without ENCRYPTION_KEY, for every process of the product', () => {
    for (const command of ['serve', 'api', 'worker'] as const) {
      const SOCIAL_API_URL = 'http://127.0.0.1:4000';
      const env = { DATABASE_URL: POSTGRES, SOCIAL_API_URL, PUBLIC_URL: 'http://localhost:3000' };
      assert.match(mistakesOf(env, command).join(), /^ENCRYPTION_KEY is required/, command);
      assert.deepEqual(mistakesOf({ ...env, ENCRYPTION_KEY: KEY }, command), [], command);
    }
    assert.deepEqual(mistakesOf({ DATABASE_URL: POSTGRES }, 'migrate'), []);
  });

  it('include api and worker without SOCIAL_API_URL or PUBLIC_URL: they mount no sandbox, and share one address', () => {
    for (const command of ['api', 'worker'] as const) {
      const [platform, address, ...more] = mistakesOf({}, command);
      assert.match(platform ?? '', /^SOCIAL_API_URL is required/, command);
      assert.match(address ?? '', new RegExp(`^PUBLIC_URL is required by "${command}".*the API`), command);
      assert.deepEqual(more, [], command);
      assert.deepEqual(
        mistakesOf({ SOCIAL_API_URL: 'platform', PUBLIC_URL: 'airdate' }, command).map(
          (text) => text.split(' ')[0],
        ),
        ['PUBLIC_URL', 'SOCIAL_API_URL'],
        'an address that cannot be read is one mistake',
      );
    }
    for (const command of ['serve', 'sandbox', 'migrate', 'openapi', 'check'] as const)
      assert.deepEqual(mistakesOf({}, command), [], command);
  });

  it('include the built-in sandbox where other machines can reach it, unless the operator insists', () => {
    const reachable = [
      { HOST: '0.0.0.0' },
      { HOST: '::' },
      { HOST: '192.168.1.20' },
      { PUBLIC_URL: 'https://airdate.example.com' },
      { PUBLIC_URL: 'http://192.168.1.20:3000' },
    ];
    for (const env of reachable) {
      const what = JSON.stringify(env);
      assert.match(mistakesOf(env).join(), /^SOCIAL_API_URL is required .*SANDBOX_PUBLIC=on/, what);
      assert.deepEqual(mistakesOf({ ...env, SANDBOX_PUBLIC: 'on' }), [], what);
      for (const command of ['sandbox', 'migrate', 'openapi', 'check', 'safe-mode', 'end-safe-mode'] as const)
        assert.deepEqual(mistakesOf(env, command), [], command);
    }
    for (const HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
      assert.deepEqual(mistakesOf({ HOST }), [], HOST);
  });

  it('include a missing or well-known client secret for a platform on another machine', () => {
    const env = { SOCIAL_API_URL: 'http://10.0.0.7:4000', PUBLIC_URL: 'http://localhost:3000' };
    for (const command of ['serve', 'api', 'worker'] as const) {
      assert.match(mistakesOf(env, command).join(), /^SOCIAL_CLIENT_SECRET is required/, command);
      const known = { ...env, SOCIAL_CLIENT_SECRET: 'sandbox-client-secret' };
      assert.match(mistakesOf(known, command).join(), /^SOCIAL_CLIENT_SECRET must not be/, command);
      assert.deepEqual(mistakesOf({ ...env, SOCIAL_CLIENT_SECRET: 'own' }, command), [], command);
    }
    const near = readConfig('serve', { SOCIAL_API_URL: 'http://127.0.0.1:4000' });
    assert.equal(near.socialClientSecret, 'sandbox-client-secret');
    const builtIn = readConfig('serve', { SOCIAL_CLIENT_SECRET: 'ignored' });
    assert.equal(builtIn.socialClientSecret, null);
  });

  it('include an ADMIN_TOKEN that is short enough to guess', () => {
    assert.match(mistakesOf({ ADMIN_TOKEN: 'x'.repeat(31) }).join(), /^ADMIN_TOKEN must have at least 32/);
    assert.deepEqual(mistakesOf({ ADMIN_TOKEN: 'x'.repeat(32) }), []);
  });

  it('never repeat a secret in their messages', () => {
    const secrets = {
      ENCRYPTION_KEY: `${KEY}-secret`,
      ADMIN_TOKEN: 'secret-operator-token',
      DATABASE_URL: 'mysql://airdate:secret-password@db.example.com',
      REDIS_URL: 'http://:secret-word@cache.example.com',
      SOCIAL_API_URL: 'ftp://client:secret-client@platform.example.com',
      PUBLIC_URL: 'ftp://user:secret-user@airdate.example.com',
      PORT: 'none',
    };
    const text = mistakesOf(secrets, 'api').join('\n');
    assert.match(text, /ENCRYPTION_KEY/);
    assert.match(text, /DATABASE_URL/);
    assert.ok(!text.includes('secret'), text);
    assert.ok(!text.includes(KEY.slice(0, 16)), text);
  });
});

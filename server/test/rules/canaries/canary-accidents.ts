// What happens to a service besides requests: its platform fails, it crashes, it cannot start. Each may reveal a secret.
import assert from 'node:assert/strict';
import type { Engine } from '../../support/databases/fresh-databases.js';
import { startProgram } from '../../support/programs/start-program.js';
import { consent, type Organization } from '../../support/service/harness.js';
import { createOne } from '../../support/service/routes.js';
import { send } from '../../support/service/send.js';
import { type CanaryWorld, newCanary } from './canary-world.js';

const IN_FLIGHT = 25;

/** Texts that are no secrets, each where a secret must not be. */
export async function leaveMarkers({ markers, service }: CanaryWorld): Promise<void> {
  const [title, path] = [newCanary(), newCanary()];
  markers.plant('a title', title);
  markers.plant('a path', path);
  const org = await service.newOrganization();
  await org.addPost({ title });
  await service.request('GET', `/api/v1/posts/${path}`, { key: org.key });
}

/** The platform fails in several ways; the log tells of each. The answers may then be 503, and are not judged. */
export async function meetFaults(world: CanaryWorld): Promise<void> {
  const { service, secrets, sandbox, plant } = world;
  const org = await service.newOrganization({ plan: 'agency' });
  const username = 'canary.refreshed';
  const account = await org.connectAccount(username);
  const control = (what: string, body: object) => send('POST', `${sandbox.url}/__control/${what}`, { body });
  const creatorInfo = () =>
    service.request('GET', `/api/v1/social-accounts/${account}/creator-info`, { key: org.key });
  const renewed = world.canaries.counts.get('refresh_token') ?? 0;
  await control('expire_tokens', { username });
  assert.equal((await creatorInfo()).status, 200);
  assert.equal(world.canaries.counts.get('refresh_token'), renewed + 1, 'the tokens were renewed');
  for (const kind of ['reset_before', 'reset_after', 'http_401', 'http_429', 'http_500']) {
    for (const on of ['token', 'creator_info', 'init', 'status']) await control('faults', { on, kind });
    await returnFromConsent(world, org);
    // The next call with its token makes the service renew it.
    await control('expire_tokens', { username });
    if (kind !== 'reset_after') await control('faults', { on: 'token', kind });
    await creatorInfo();
    const post = await createOne('posts', org, service, 'publishPost');
    const asked = { social_account_id: account, privacy_level: 'SELF_ONLY' };
    await service.request('POST', `/api/v1/posts/${post}/publish`, { key: org.key, body: asked });
    await service.request('GET', `/api/v1/posts/${post}/publish-status`, { key: org.key });
    await control('clear', {});
  }
  await returnFromConsent(world, org);
  for (const key of [secrets.METRICS_TOKEN, plant('a wrong token of a monitor')])
    await service.request('GET', '/metrics', { key });
  for (const path of ['/', '/docs', '/openapi.json', '/readyz']) await service.request('GET', path);
}

async function returnFromConsent({ service }: CanaryWorld, org: Organization): Promise<void> {
  const { json } = await org.call('POST', '/api/v1/social-accounts/connect');
  const back = await consent(json.data.authorize_url, { decision: 'allow', username: 'canary.creator' });
  await service.request('GET', back.slice(service.url.length));
}

/** By an error that no code catches and by SIGABRT, both while requests with secrets are in flight. */
export async function crash({ program, run, service, plant, files }: CanaryWorld): Promise<void> {
  const before = files();
  const inFlight = (url: string) =>
    Promise.allSettled(
      Array.from({ length: IN_FLIGHT }, () =>
        send('POST', `${url}/api/v1/auth/sign-in`, {
          body: { email: 'ada@example.com', password: plant('a password in flight') },
          headers: { 'x-airdate': 'dashboard', origin: url },
        }),
      ),
    );
  const answered = inFlight(service.url);
  assert.equal(await program.stop('SIGUSR2'), 1);
  await answered;
  const again = await run();
  const answeredAgain = inFlight(again.url);
  assert.equal(await again.stop('SIGABRT'), 'SIGABRT');
  await answeredAgain;
  const written = files().filter((file) => !before.includes(file));
  assert.deepEqual(
    written.filter((file) => /report|core|heap/.test(file)),
    [],
    'no report of the crash is written',
  );
}

/** What the program says when it cannot start: each time with all secrets, and with one that is wrong. */
export async function failToStart({ env, plant, markers }: CanaryWorld, engine: Engine): Promise<Buffer[]> {
  const marker = newCanary();
  markers.plant('a wrong setting', marker);
  const wrong: Record<string, string>[] = [
    { LOG_LEVEL: marker },
    { ENCRYPTION_KEY: plant('a malformed ENCRYPTION_KEY') },
    { ENCRYPTION_KEY: Buffer.from(plant('another ENCRYPTION_KEY').slice(-32)).toString('hex') },
    { S3_SECRET_ACCESS_KEY: plant('S3_SECRET_ACCESS_KEY') },
    { REDIS_URL: plant('a malformed REDIS_URL') },
    { HOST: '203.0.113.1' },
  ];
  if (engine === 'postgres') {
    const elsewhere = (change: (url: URL) => void) => {
      const url = new URL(env.DATABASE_URL as string);
      change(url);
      return { DATABASE_URL: url.href };
    };
    wrong.push(elsewhere((url) => (url.pathname = '/absent')));
    wrong.push(elsewhere((url) => (url.port = '1')));
    wrong.push({ DATABASE_URL: plant('a malformed DATABASE_URL') });
  }
  const said: Buffer[] = [];
  for (const setting of wrong) {
    const failed = await startProgram('serve', { ...env, ...setting }, { keepOutput: true }).then(
      async (program) => {
        await program.kill();
        return new Error(`it started with ${Object.keys(setting)}`);
      },
      (error: Error) => error,
    );
    assert.match(failed.message, /did not start/);
    said.push(Buffer.from(failed.message));
  }
  return said;
}

// The encryption key is replaced while clients use the service: readable everywhere first, then writing, then alone.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { App } from '../../src/app/app.js';
import { readConfig } from '../../src/config/config.js';
import { type Service, startService } from '../../src/service.js';
import { countSecrets } from '../../src/worker/reseal.js';
import { startWorker, type Worker } from '../../src/worker/worker.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import {
  check,
  createPost,
  fillWithSecrets,
  idOf,
  type Kept,
  keys,
  NEW_KEY,
  Neighbour,
  OLD_KEY,
  SEALED_COLUMNS,
  sealedAnywhere,
} from '../support/installations/key-rotation.js';
import { Installation, type Running } from '../support/installations/restore.js';
import { Balancer } from '../support/network/balancer.js';
import { close } from '../support/network/local-server.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { SECRET, secretOfFactor } from '../support/service/factors.js';
import { published, readyPost } from '../support/service/posts.js';
import { type Answer, send } from '../support/service/send.js';

const CLIENTS = 3;

onEngines('postgres', 'A rotation of the encryption key', (engine) => {
  const balancer = new Balancer();
  const neighbour = new Neighbour();
  const processes: { process: Running; worker: Worker }[] = [];
  let installation: Installation;
  let kept: Kept;
  before(async () => {
    installation = await Installation.make(engine);
    await balancer.start();
    await neighbour.start();
  });
  after(async () => {
    for (const { worker } of processes) await worker.stop();
    await installation.remove();
    await balancer.stop();
    await close(neighbour.server);
  });

  const environment = (more: Record<string, string>) => ({
    ...more,
    PUBLIC_URL: balancer.url,
    WEBHOOK_ALLOW: '127.0.0.0/8',
  });
  const begin = async (env: Record<string, string>) => {
    const process = await installation.start({ env: environment(env) });
    balancer.add(process.url);
    return process;
  };
  /** Replaces the processes one by one, as a restart of each would. */
  async function roll(env: Record<string, string>): Promise<void> {
    for (const place of processes) {
      await balancer.remove(place.process.url);
      await place.worker.stop();
      await place.process.stop();
      place.process = await begin(env);
      place.worker = startWorker(place.process.app);
    }
  }
  const first = (): Running => (processes[0] as { process: Running }).process;
  const app = (): App => first().app;
  const behindBalancer = () => installation.organizationIn({ ...first(), ...atBalancer }, kept.org);
  const atBalancer = {
    get url() {
      return balancer.url;
    },
    request: (method: string, path: string, options = {}) => send(method, balancer.url + path, options),
  };

  /** Everything that needs a key, again and again. */
  async function useAll(say: (what: string, answer: Pick<Answer, 'status'>, expected: number) => void) {
    const org = behindBalancer();
    const { accountId, answered, webhookId, person, cursor, fileUrl } = kept;
    const again = await createPost(org, answered.key);
    say('a repeated request', again, 201);
    assert.equal(again.id, answered.id);
    const key = randomUUID();
    const [first, second] = [await createPost(org, key), await createPost(org, key)];
    say('a request and its repetition', second, 201);
    assert.equal(first.id, second.id);
    say('creator options', await org.call('GET', `/api/v1/social-accounts/${accountId}/creator-info`), 200);
    say('a test of a webhook', await org.call('POST', `/api/v1/webhooks/${webhookId}/test`), 200);
    say('an old cursor', await org.call('GET', `/api/v1/posts?per_page=2&cursor=${cursor}`), 200);
    const list = await org.call('GET', '/api/v1/posts?per_page=1&cursor=');
    const next = list.json.next_cursor;
    say('a new cursor', await org.call('GET', `/api/v1/posts?per_page=1&cursor=${next}`), 200);
    say('an old URL of a file', await send('GET', fileUrl, {}), 200);
    say(
      'a session',
      await send('GET', `${balancer.url}/api/v1/me`, { headers: { cookie: person.browser.cookie ?? '' } }),
      200,
    );
    // Uploads to a signed URL, and publishes with the account's token.
    assert.ok(await published(org, await readyPost(org), accountId));
  }

  it('fails no request, and leaves nothing sealed with the old key', async () => {
    for (const _ of [1, 2]) {
      const process = await begin(keys(OLD_KEY));
      processes.push({ process, worker: { silentLoops: () => [], stop: async () => {} } });
    }
    kept = await fillWithSecrets(installation, { ...first(), ...atBalancer }, neighbour.url);
    assert.deepEqual(await sealedAnywhere(app(), idOf(OLD_KEY)), SEALED_COLUMNS);
    await roll(keys(OLD_KEY));

    const failures: string[] = [];
    let [requests, isOver] = [0, false];
    const client = async () => {
      while (!isOver)
        await useAll((what, { status }, expected) => {
          requests++;
          if (status !== expected) failures.push(`${what}: ${status}`);
        }).catch((error) => failures.push(String(error)));
    };
    const clients = Array.from({ length: CLIENTS }, client);
    try {
      await roll(keys(OLD_KEY, NEW_KEY));
      assert.deepEqual(await sealedAnywhere(app(), idOf(NEW_KEY)), []);
      await roll(keys(NEW_KEY, OLD_KEY));
      await until('everything is sealed with the new key', async () =>
        (await countSecrets(app().db)).every(([keyId]) => keyId === idOf(NEW_KEY)),
      );
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    assert.deepEqual(failures, []);
    assert.ok(requests > 0);
    assert.deepEqual(await sealedAnywhere(app(), idOf(OLD_KEY)), []);
    assert.deepEqual(await sealedAnywhere(app(), idOf(NEW_KEY)), SEALED_COLUMNS);
  });

  it('ends with the new key alone: what was sealed with the old one still opens', async () => {
    await roll(keys(NEW_KEY));
    const org = behindBalancer();
    assert.deepEqual(await createPost(org, kept.answered.key), { id: kept.answered.id, status: 201 });
    const info = await org.call('GET', `/api/v1/social-accounts/${kept.accountId}/creator-info`);
    assert.equal(info.status, 200, info.text);
    assert.equal((await send('GET', kept.returnUrl, {})).status, 200);
    assert.deepEqual(await secretOfFactor(app()), SECRET);
    // The bytes of the video go to the address that the platform gave out under the old key.
    installation.advance(3_000_000);
    await until('the file is fetched and the video is sent', async () => (await sealedColumnsInUse()) === 0);
    const { code, lines } = await check(installation, environment(keys(NEW_KEY)));
    assert.equal(code, 0, lines.join('\n'));
    assert.equal(lines.length, 2, lines.join('\n'));
    assert.match(
      lines[1] as string,
      new RegExp(`^Sealed with key ${idOf(NEW_KEY)} \\(current\\): \\d+ secrets\\.$`),
    );
  });

  const sealedColumnsInUse = async () => {
    const { read } = app().db;
    const files = await read.selectFrom('asset_sources').select('asset_id').execute();
    const videos = await read.selectFrom('dispatches').select('id').where('upload', 'is not', null).execute();
    return files.length + videos.length;
  };

  it('is refused at the start if the old key is removed before everything is sealed again', async () => {
    const third = 'cd'.repeat(32);
    await assert.rejects(
      installation.start({ env: environment(keys(third)) }),
      /which has the id [0-9a-f]{8}/,
    );
    const early = await installation.start({ env: environment(keys(third, NEW_KEY)) });
    await early.stop();
    await assert.rejects(installation.start({ env: environment(keys(third)) }), new RegExp(idOf(NEW_KEY)));
  });
});

describe('A rotation of the key that is kept in DATA_DIR', () => {
  it('leaves the built-in sandbox and its account working', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'airdate-kept-key-'));
    const file = join(dir, 'encryption.key');
    const boot = async (env: Record<string, string>, work: (service: Service, app: App) => Promise<void>) => {
      const config = readConfig('serve', { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dir, ...env });
      const service = await startService(config, { log: silentLog });
      await work(service, service.app as App).finally(() => service.stop());
    };
    let key = '';
    const creatorInfo = async (url: string) => {
      const accounts = await send('GET', `${url}/api/v1/social-accounts`, { key });
      return send('GET', `${url}/api/v1/social-accounts/${accounts.json.data[0].id}/creator-info`, { key });
    };
    try {
      await boot({}, async ({ demo }) => {
        key = demo?.key ?? '';
      });
      renameSync(file, `${file}.old`);
      const old = readFileSync(`${file}.old`, 'utf8').trim();
      await boot({ ENCRYPTION_KEYS_OLD: old }, async ({ url }, app) => {
        // The next use renews the token, which needs the secret between the service and the sandbox.
        await app.db.transact((tx) =>
          tx.updateTable('social_accounts').set({ access_expires_at: 0 }).execute(),
        );
        assert.equal((await creatorInfo(url)).status, 200);
        await until('nothing is sealed with the old key', async () =>
          (await countSecrets(app.db)).every(([keyId]) => keyId !== idOf(old)),
        );
      });
      await boot({}, async ({ url }) => assert.equal((await creatorInfo(url)).status, 200));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

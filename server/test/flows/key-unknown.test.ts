// The wrong order of a rotation: one process seals with a new key before the other can open it.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { scheduleGrantCheck } from '../../src/accounts/platform-calls.js';
import { createFetches } from '../../src/assets/fetch/fetch.js';
import { createSender } from '../../src/events/webhooks/sender.js';
import { createResealRun } from '../../src/worker/reseal.js';
import { reportWithoutKey } from '../../src/worker/worker.js';
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
  sealedAnywhere,
} from '../support/installations/key-rotation.js';
import { book, Installation, type Running } from '../support/installations/restore.js';
import { close } from '../support/network/local-server.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { assertProblem, publish, readPost, readyPost } from '../support/service/posts.js';
import { type Answer, send } from '../support/service/send.js';
import { renewTokens } from '../support/service/token-renewals.js';
import { listAssets } from '../support/service/uploads.js';
import { fanOutAll } from '../support/service/webhooks.js';

const MINUTE_MS = 60_000;
const ALLOW = { WEBHOOK_ALLOW: '127.0.0.0/8' };

onEngines('sqlite', 'A process that meets a secret sealed with a key it does not have', (engine) => {
  const neighbour = new Neighbour();
  let lines: string[] = [];
  let installation: Installation;
  let process: Running;
  let kept: Kept;
  /** One is due, the other is a draft. */
  let [due, draft] = ['', ''];
  const start = (env: Record<string, string>) =>
    installation.start({
      env: { ...ALLOW, ...env },
      log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    });

  before(async () => {
    installation = await Installation.make(engine);
    await neighbour.start();
    process = await start(keys(OLD_KEY));
    kept = await fillWithSecrets(installation, process, neighbour.url);
    due = await book(installation, kept.org, kept.accountId, 'A due post', MINUTE_MS);
    draft = await readyPost(kept.org);
    await fanOutAll(process);
    // Another process takes a new key too early.
    const other = await installation.open({ env: { ...ALLOW, ...keys(NEW_KEY, OLD_KEY) } });
    const reseal = createResealRun(other.app);
    while ((await sealedAnywhere(other.app, idOf(OLD_KEY))).length > 0) await reseal();
    await other.stop();
    installation.advance(MINUTE_MS + 1_000);
    lines = [];
  });
  after(async () => {
    await installation.remove();
    await close(neighbour.server);
  });

  const requests: Record<string, () => Promise<Answer>> = {
    'creator options': () => kept.org.call('GET', `/api/v1/social-accounts/${kept.accountId}/creator-info`),
    'a repeated request': () =>
      kept.org.call('POST', '/api/v1/posts', { title: 'A post' }, { 'idempotency-key': kept.answered.key }),
    'a test of a webhook': () => kept.org.call('POST', `/api/v1/webhooks/${kept.webhookId}/test`),
    'publish now': () => publish(kept.org, draft, kept.accountId),
    'publish now to the inbox': () => publish(kept.org, draft, kept.accountId, { mode: 'inbox' }),
    'the return from a consent': () => send('GET', kept.returnUrl, {}),
  };

  it('answers 503, and names the key in the log', async () => {
    for (const [what, request] of Object.entries(requests)) {
      lines = [];
      const answer = await request();
      assertProblem(answer, 503, 'unavailable');
      assert.equal(answer.headers.get('retry-after'), '30', what);
      assert.match(lines.join(''), new RegExp(`sealed with key ${idOf(NEW_KEY)}`), what);
    }
  });

  it('leaves its work to those that have the key: no attempt, no change, and other work goes on', async () => {
    const { app } = process;
    await scheduleGrantCheck(app, { org_id: kept.org.id, id: kept.accountId });
    // This process has connected it, with the key that it has.
    const other = await installation.newOrganization(process);
    const readable = await book(
      installation,
      other,
      await other.connectAccount('readable'),
      'A readable post',
      MINUTE_MS,
    );
    installation.advance(MINUTE_MS + 1_000);
    await app.db.transact((tx) =>
      tx
        .updateTable('dispatches')
        .set({ next_at: app.clock.now() })
        .where('upload', 'is not', null)
        .execute(),
    );
    await app.db.transact((tx) =>
      tx.updateTable('asset_sources').set({ fetch_at: app.clock.now() }).execute(),
    );
    const before = await workRows();
    lines = [];
    for (let i = 0; i < 5; i++) await process.runOnce();
    await renewTokens(app);
    await reportWithoutKey(app);
    assert.match(lines.join(''), /"left":2.*need an encryption key that this process does not have/);
    assert.equal(lines.length, 1, lines.join(''));
    assert.equal((await readPost(other, readable)).status, 'posted');
    const [sender, fetches] = [createSender(app), createFetches(app)];
    await sender.startDue();
    await sender.idle();
    await fetches.startDue();
    await fetches.idle();

    assert.deepEqual(await workRows(), before);
    const { status, publish_retries, last_publish_error } = await readPost(kept.org, due);
    assert.deepEqual([status, publish_retries, last_publish_error], ['scheduled', 0, null]);
    assert.deepEqual(await attemptsOf(due), []);
    assert.deepEqual(await attemptsOf(draft), []);
    const accounts = await app.db.read.selectFrom('social_accounts').selectAll().execute();
    assert.deepEqual(
      accounts.map((row) => [row.status, row.refreshing_until]),
      [
        ['connected', null],
        ['connected', null],
      ],
    );
    const deliveries = await app.db.read.selectFrom('webhook_deliveries').selectAll().execute();
    assert.ok(deliveries.length > 0);
    for (const { state, tries } of deliveries) assert.deepEqual([state, tries], ['pending', 0]);
    assert.deepEqual((await listAssets(kept.org, kept.importing)).rejected, []);
    assert.equal((await app.db.read.selectFrom('asset_sources').selectAll().execute()).length, 1);
    const videos = await app.db.read
      .selectFrom('dispatches')
      .selectAll()
      .where('upload', 'is not', null)
      .execute();
    assert.deepEqual(
      videos.map(({ outcome, phase }) => [outcome, phase]),
      [['accepted', 'transferring']],
    );
  });

  /** Everything that a worker without the key could have changed. */
  const workRows = async () => {
    const { read } = process.app.db;
    const { id } = kept.org;
    return {
      posts: await read.selectFrom('posts').selectAll().where('org_id', '=', id).orderBy('id').execute(),
      accounts: await read.selectFrom('social_accounts').selectAll().where('org_id', '=', id).execute(),
      attempts: await read.selectFrom('dispatches').selectAll().where('org_id', '=', id).execute(),
      deliveries: await read
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('org_id', '=', id)
        .orderBy('id')
        .execute(),
      files: await read.selectFrom('asset_sources').selectAll().execute(),
    };
  };

  const attemptsOf = (postId: string) =>
    process.app.db.read.selectFrom('dispatches').selectAll().where('post_id', '=', postId).execute();

  it('does not start again, and check exits with 1: both name the key', async () => {
    await assert.rejects(start(keys(OLD_KEY)), new RegExp(idOf(NEW_KEY)));
    const { code, lines } = await check(installation, keys(OLD_KEY));
    assert.equal(code, 1);
    assert.match(
      lines.join('\n'),
      new RegExp(`Sealed with key ${idOf(NEW_KEY)} \\(unknown: .*\\): \\d+ secrets`),
    );
  });

  it('heals once it has both keys: everything goes on, and the post goes out once', async () => {
    await process.stop();
    process = await start(keys(OLD_KEY, NEW_KEY));
    kept.org = installation.organizationIn(process, kept.org);
    const { app } = process;
    const callback = new URL(kept.returnUrl);
    kept.returnUrl = process.url + callback.pathname + callback.search;
    assert.deepEqual(await createPost(kept.org, kept.answered.key), { id: kept.answered.id, status: 201 });
    for (const what of ['creator options', 'a test of a webhook', 'the return from a consent'] as const)
      assert.equal((await requests[what]?.())?.status, 200, what);
    for (let i = 0; i < 3; i++) {
      installation.advance(MINUTE_MS + 1_000);
      await process.runOnce();
    }
    assert.equal((await readPost(kept.org, due)).status, 'posted');
    assert.equal((await installation.visible()).get('A due post'), 1);
    const [sender, fetches] = [createSender(app), createFetches(app)];
    await sender.startDue();
    await sender.idle();
    await fetches.startDue();
    await fetches.idle();
    assert.equal((await listAssets(kept.org, kept.importing)).data.length, 1);
    assert.ok(neighbour.webhooks > 1);
  });
});

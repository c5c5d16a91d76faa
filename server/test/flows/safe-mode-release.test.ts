// What a restore means for event cursors, files and tokens, and the operator's commands.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { afterEach, beforeEach, it } from 'node:test';
import { promisify } from 'node:util';
import type { Connector } from '../../src/connectors/connector.js';
import { removeOrphans } from '../../src/object-deletion/orphans.js';
import type { ObjectStore } from '../../src/object-store/object-store.js';
import { book, Installation, type Running } from '../support/installations/restore.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { itInProofs, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, type Organization } from '../support/service/harness.js';
import { renewTokens } from '../support/service/token-renewals.js';
import { GRACE_MS, upload } from '../support/service/uploads.js';
import { onEachCall } from '../support/world/killable-worker.js';

const HOUR_MS = 3_600_000;
onEngines('sqlite', 'after a restore', (engine) => {
  let installation: Installation;
  beforeEach(async () => {
    installation = await Installation.make(engine);
  });
  afterEach(() => installation.remove());

  const release = (running: Running, body: object = {}) =>
    running.request('POST', '/api/admin/v1/release', { key: ADMIN_TOKEN, body });
  const idsAfter = async (org: Organization, after: string) =>
    (await org.call('GET', `/api/v1/events?after=${after}`)).json.data.map(({ id }: { id: string }) => id);
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [PROGRAM, ...args], { env: installation.environment() });

  it('event cursors from after the backup are 410 for lists and streams, those from before go on, and no id is given twice', async () => {
    let running = await installation.start();
    let org = await installation.newOrganization(running);
    await org.addPost({ title: 'Before' });
    const before = await idsAfter(org, 'evt_000000000');
    assert.equal(before.length, 1);
    await running.stop();
    const restore = await installation.backUp();
    running = await installation.start();
    org = installation.organizationIn(running, org);
    for (const title of ['Lost 1', 'Lost 2']) await org.addPost({ title: title });
    const lost = await idsAfter(org, before[0]);
    assert.equal(lost.length, 2);
    await running.stop();

    await restore();
    running = await installation.start();
    org = installation.organizationIn(running, org);
    const stream = { accept: 'text/event-stream' };
    for (const after of lost)
      for (const headers of [{}, stream]) {
        const answer = await org.call('GET', `/api/v1/events?after=${after}`, undefined, headers);
        assert.deepEqual([after, answer.status, answer.json.code], [after, 410, 'cursor_unknown']);
      }
    for (const title of ['New 1', 'New 2', 'New 3']) await org.addPost({ title: title });
    const fresh = await idsAfter(org, before[0]);
    assert.equal(fresh.length, 3);
    assert.deepEqual([...before, ...lost, ...fresh].sort(), [...before, ...lost, ...fresh]);
    assert.equal(new Set([...before, ...lost, ...fresh]).size, 6);
    assert.deepEqual(await idsAfter(org, 'evt_000000000'), [...before, ...fresh]);
    assert.deepEqual(await idsAfter(org, fresh[0]), fresh.slice(1));
    for (const after of lost)
      assert.equal((await org.call('GET', `/api/v1/events?after=${after}`)).status, 410);
    // Pruned events keep their ids valid.
    await running.app.db.transact((tx) => tx.deleteFrom('events').where('seq', '<=', 2).execute());
    assert.deepEqual(await idsAfter(org, before[0]), fresh.slice(1));
    assert.deepEqual(await idsAfter(org, fresh[0]), fresh.slice(1));
    for (const after of lost)
      assert.equal((await org.call('GET', `/api/v1/events?after=${after}`)).status, 410);
    // An organization created since then starts in the new epoch.
    const other = await installation.newOrganization(running);
    await other.addPost({ title: 'Other' });
    const [first] = await idsAfter(other, 'evt_000000000');
    assert.deepEqual(await idsAfter(other, first), []);
    assert.equal((await other.call('GET', '/api/v1/events?after=evt_000000001')).status, 410);
  });

  it('no event id is given twice while the store is away at the start, and such starts do not pile up epochs', async () => {
    let running = await installation.start();
    let org = await installation.newOrganization(running);
    await running.stop();
    const restore = await installation.backUp();
    running = await installation.start();
    org = installation.organizationIn(running, org);
    await org.addPost({ title: 'Lost' });
    const [lost] = await idsAfter(org, 'evt_000000000');
    await running.stop();
    await restore();
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      load: () => Promise.reject(new Error('away')),
    });
    for (let i = 0; i < 3; i++) await (await installation.open({ store })).stop('killed');
    running = await installation.start({ store });
    const epochs = await running.app.db.read.selectFrom('event_epochs').selectAll().execute();
    assert.equal(epochs.length, 1);
    org = installation.organizationIn(running, org);
    await org.addPost({ title: 'Meanwhile' });
    const [meanwhile] = await idsAfter(org, 'evt_000000000');
    assert.notEqual(meanwhile, lost);
    assert.equal((await org.call('GET', `/api/v1/events?after=${lost}`)).status, 410);
    assert.deepEqual(await idsAfter(org, meanwhile), []);
  });

  it('the first sweep waits a whole grace period and removes no more than 5 % unless the operator allows it', async () => {
    const running = await installation.start();
    const org = await installation.newOrganization(running);
    const id = await org.addPost();
    const { object_key } = await upload(org, id, 'slide.jpg');
    const orphan = object_key.replace(/[^/]+$/, 'orphan.jpg');
    const hasOrphan = async () => (await installation.objects()).includes(orphan);
    await running.app.store.write(orphan, Buffer.from('orphan'));
    const enter = () =>
      running.app.db
        .transact((tx) =>
          tx.updateTable('installation').set({ safe_since: 1, safe_reason: 'By hand.' }).execute(),
        )
        .then(() => running.app.safety.checkBeforeSend());
    await enter();
    installation.advance(GRACE_MS + HOUR_MS);
    await removeOrphans(running.app);
    assert.equal((await release(running)).status, 200);
    await removeOrphans(running.app);
    assert.ok(await hasOrphan(), 'the grace period has only begun');
    installation.advance(GRACE_MS + HOUR_MS);
    await removeOrphans(running.app);
    assert.ok(await hasOrphan(), 'one of two objects is more than 5 %');
    await enter();
    assert.equal((await release(running, { orphans: true })).status, 200);
    installation.advance(GRACE_MS + HOUR_MS);
    await removeOrphans(running.app);
    assert.ok(!(await hasOrphan()), 'the operator has allowed it');
    assert.ok((await installation.objects()).includes(object_key));
  });

  it('no token is renewed before the release, and accepted attempts are polled with the existing one', async () => {
    const calls: string[] = [];
    const connector = (real: Connector) =>
      onEachCall(real, (call, given, name) => {
        calls.push(name);
        return call(...given);
      });
    const running = await installation.start({ connector });
    const org = await installation.newOrganization(running);
    const accountId = await org.connectAccount('creator');
    const id = await book(installation, org, accountId, 'Accepted', 60_000);
    installation.advance(61_000);
    await running.runOnce();
    assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).json.data.status, 'posted');
    await installation.visible();
    await running.app.db.transact((tx) =>
      tx.updateTable('installation').set({ safe_since: 1, safe_reason: 'By hand.' }).execute(),
    );
    await running.app.safety.checkBeforeSend();
    calls.length = 0;
    installation.advance(60_000);
    await running.runOnce();
    assert.deepEqual([...new Set(calls)].filter(isCall), ['observe']);
    installation.advance(30 * HOUR_MS);
    await running.app.db.transact((tx) =>
      tx.updateTable('social_accounts').set({ refresh_at: 0, access_expires_at: 0 }).execute(),
    );
    calls.length = 0;
    await renewTokens(running.app);
    await running.runOnce();
    assert.deepEqual(calls.filter(isCall), []);
    await release(running);
    await renewTokens(running.app);
    assert.ok(calls.includes('renew'));
  });

  it('npm run safe-mode starts safe mode in running processes, with the backup’s time in the reason, and npm run end-safe-mode ends it', async () => {
    const running = await installation.start({ env: { ALIVE_INTERVAL_MS: '100' } });
    const org = await installation.newOrganization(running);
    const id = await book(installation, org, await org.addAccount(), 'By hand', HOUR_MS);
    const begun = await run('safe-mode', '--since', '2025-11-01T09:00:00Z');
    assert.match(begun.stdout, /^Safe mode has begun: .*backup of 2025-11-01T09:00:00Z/);
    const readyz = async () => (await running.request('GET', '/readyz')).json;
    await until('the running process knows', async () => (await readyz()).safe_mode);
    assert.match((await readyz()).safe_mode_reason, /2025-11-01T09:00:00Z/);
    const ended = await run('end-safe-mode', '--all-slots');
    assert.match(ended.stdout, /Returned to draft, .*: 1\n/);
    assert.ok(ended.stdout.includes(id));
    await until('the running process resumes', async () => !(await readyz()).safe_mode);
  });

  // Each takes a start of the program.
  itInProofs('npm run safe-mode and npm run end-safe-mode refuse every mistake, and say which', async () => {
    await (await installation.start()).stop();
    await assert.rejects(run('end-safe-mode'), /not in safe mode/);
    await assert.rejects(run('safe-mode', '--since', 'yesterday'), /--since must be a time/);
    await assert.rejects(run('safe-mode', '--since', '2999-01-01T00:00:00Z'), /in the future/);
    await assert.rejects(run('end-safe-mode', '--orpans'), /^Error: .*\nUnknown option '--orpans'/s);
    assert.match(
      (await run('end-safe-mode', '--help')).stdout,
      /end-safe-mode +end safe mode: \[--all-slots\]/,
    );
  });

  it('the note is replaced whole, lies at airdate/alive, and is no asset', async () => {
    const running = await installation.start();
    await installation.newOrganization(running);
    assert.deepEqual(await installation.objects(), ['airdate/alive']);
    const { counter } = await running.app.db.read
      .selectFrom('installation')
      .select('counter')
      .executeTakeFirstOrThrow();
    const note = await running.app.store.load('airdate/alive');
    assert.equal(JSON.parse(String(note)).counter, counter);
    installation.advance(3 * GRACE_MS);
    await removeOrphans(running.app);
    assert.deepEqual(await installation.objects(), ['airdate/alive']);
  });
});

/** For checks of texts only: calls no platform. */
const isCall = (name: string) =>
  !['check', 'describe', 'resumeAt', 'authorizeUrl', 'readWebhook'].includes(name);

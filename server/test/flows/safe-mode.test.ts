// How a restore is detected, whatever was restored and whichever processes run, and what is not a restore.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { pino } from 'pino';
import { recount } from '../../src/db/recount.js';
import type { ObjectStore } from '../../src/object-store/object-store.js';
import { adoptStore } from '../../src/operator/adopt-store.js';
import { MAX_RETRIES } from '../../src/publishing/attempt/backoff.js';
import { book, Installation, type Process, type Running } from '../support/installations/restore.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, type Organization } from '../support/service/harness.js';

const SOON_MS = 60_000;

const unwritable = (real: ObjectStore): ObjectStore => ({
  ...real,
  replace: () => Promise.reject(new Error('no space')),
});

onEngines('sqlite', 'safe mode', (engine) => {
  let installation: Installation;
  beforeEach(async () => {
    installation = await Installation.make(engine);
  });
  afterEach(() => installation.remove());

  /** A running process, with an organization whose account is connected. */
  async function begun(): Promise<{ running: Running; org: Organization; accountId: string }> {
    const running = await installation.start();
    const org = await installation.newOrganization(running);
    return { running, org, accountId: await org.connectAccount('creator') };
  }
  const isSafe = ({ app }: Process) => app.safety.mode.kind === 'safe';
  const reasonOf = ({ app }: Process) => (app.safety.mode.kind === 'safe' ? app.safety.mode.reason : '');
  const inits = async () => (await installation.ledger()).length;
  const changeInstallation = ({ app }: Process, change: { counter?: number; installation_id?: string }) =>
    app.db.transact((tx) => tx.updateTable('installation').set(change).execute());
  const attemptsOf = ({ app }: Process) => app.db.read.selectFrom('dispatches').select('id').execute();
  const counterOf = async ({ app }: Process) =>
    (await app.db.read.selectFrom('installation').select('counter').executeTakeFirstOrThrow()).counter;

  it('starts when the database is restored seconds after its backup, and the process had no time for another note', async () => {
    const { running, org, accountId } = await begun();
    const id = await book(installation, org, accountId, 'Soon', SOON_MS);
    await running.stop('killed');
    const restore = await installation.backUp();
    const next = await installation.start();
    installation.advance(SOON_MS + 1_000);
    await next.runOnce();
    assert.equal((await installation.visible()).get('Soon'), 1);
    await next.stop('killed');
    await restore();
    const restored = await installation.open();
    await restored.runOnce();
    assert.equal(isSafe(restored), true);
    assert.equal((await installation.visible()).get('Soon'), 1, `${id} was published again`);
  });

  it('starts when a process is killed right after a publish, before its next note', async () => {
    const { running, org, accountId } = await begun();
    await book(installation, org, accountId, 'Killed', SOON_MS);
    await running.stop();
    const restore = await installation.backUp();
    const next = await installation.start();
    const before = await counterOf(next);
    installation.advance(SOON_MS + 1_000);
    await next.runOnce();
    // The claim itself has raised the note, so no further note is needed.
    assert.ok((await counterOf(next)) > before);
    await next.stop('killed');
    await restore();
    const restored = await installation.open();
    await restored.runOnce();
    assert.equal(await inits(), 1);
    assert.equal(isSafe(restored), true);
  });

  it('starts on a backup older than the first note, and the log says so', async () => {
    const { running } = await begun();
    await running.app.db.transact((tx) => tx.deleteFrom('installation').execute());
    await running.stop('killed');
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    assert.match(reasonOf(await installation.open({ log })), /old backup/);
    assert.match(lines.join(''), /"reason":"[^"]*old backup[^"]*".*safe mode/);
  });

  it('starts when database and files were restored together, without the note', async () => {
    const { running } = await begun();
    await running.stop();
    const restore = await installation.backUp();
    const restoreFiles = await installation.backUpFiles();
    await (await installation.open()).stop();
    await restore();
    restoreFiles();
    assert.match(reasonOf(await installation.open()), /no note of this installation/);
  });

  it('starts when the store is another installation’s', async () => {
    const { running } = await begun();
    await running.stop();
    const next = await installation.open();
    await changeInstallation(next, { installation_id: 'another' });
    await next.stop('killed');
    assert.match(reasonOf(await installation.open()), /different installations/);
  });

  it('does not start at the first start of an installation that has organizations, nor when that crashes at any step', async () => {
    // An upgrade: there are organizations, and no note anywhere.
    const old = await begun();
    await old.running.app.db.transact((tx) => tx.deleteFrom('installation').execute());
    await old.running.stop('killed');
    await installation.removeNote();
    // Killed when the row was committed and the note not written.
    const first = await installation.open({ store: unwritable });
    assert.equal(first.app.safety.mode.kind, 'unchecked');
    await first.stop('killed');
    // Killed when the note was written but not yet recorded in the database.
    const second = await installation.open();
    assert.equal(second.app.safety.mode.kind, 'normal');
    await second.app.db.transact((tx) => tx.updateTable('installation').set({ store_noted: 0 }).execute());
    await second.stop('killed');
    const third = await installation.open();
    assert.equal(third.app.safety.mode.kind, 'normal');
    await third.stop();
    assert.equal((await installation.open()).app.safety.mode.kind, 'normal');
  });

  it('does not start when several processes make the first start together, whichever is first', async () => {
    const old = await begun();
    await old.running.app.db.transact((tx) => tx.deleteFrom('installation').execute());
    await old.running.stop('killed');
    await installation.removeNote();
    // One process finds no note and is slow: meanwhile another has written the note and recorded it in the database.
    let loads = 0;
    const slow = (real: ObjectStore): ObjectStore => ({
      ...real,
      load: async (key) => {
        const found = await real.load(key);
        if (loads++ === 0) await (await installation.open()).stop();
        return found;
      },
    });
    assert.equal((await installation.open({ store: slow })).app.safety.mode.kind, 'normal');
    const all = await Promise.all([1, 2, 3].map(() => installation.open()));
    assert.deepEqual(
      all.map(({ app }) => app.safety.mode.kind),
      ['normal', 'normal', 'normal'],
    );
  });

  it('does not start with an empty database whose store it has adopted from one that is gone', async () => {
    const { running } = await begun();
    const { store } = running.app;
    await running.stop();
    await installation.emptyDatabase();
    await assert.rejects(installation.start(), /npm run adopt-store/);
    await installation.withDatabase((db) =>
      adoptStore({ db, store, now: installation.clock.now(), watchMs: 0 }),
    );
    const next = await installation.start();
    assert.equal(isSafe(next), false);
    await installation.newOrganization(next);
    await next.stop();
    assert.equal(isSafe(await installation.open()), false);
  });

  it('is read from the database alone while the store is away', async () => {
    const { running } = await begun();
    await running.stop();
    let isAway = false;
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      load: (key) => (isAway ? Promise.reject(new Error('away')) : real.load(key)),
    });
    const cutOff = await installation.open({ store });
    isAway = true;
    const set = { safe_since: 1, safe_reason: 'By another process.' };
    await cutOff.app.db.transact((tx) => tx.updateTable('installation').set(set).execute());
    await cutOff.app.safety.checkBeforeSend();
    assert.equal(reasonOf(cutOff), 'By another process.');
  });

  it('publishes nothing while the store cannot be written at the start, and says so', async () => {
    const { running, org, accountId } = await begun();
    await book(installation, org, accountId, 'Unwritable', SOON_MS);
    await running.stop();
    const next = await installation.start({ store: unwritable });
    installation.advance(SOON_MS + 1_000);
    await next.runOnce();
    assert.equal(await inits(), 0);
    const ready = await next.request('GET', '/readyz');
    assert.deepEqual([ready.status, ready.json.safe_mode], [503, false]);
    assert.match(ready.json.checks.files, /file store/);
  });

  it('is entered once by three processes that start at the same time', async () => {
    const { running, org, accountId } = await begun();
    await book(installation, org, accountId, 'Three', SOON_MS);
    await running.stop();
    const restore = await installation.backUp();
    const next = await installation.start();
    installation.advance(SOON_MS + 1_000);
    await next.runOnce();
    await next.stop();
    await restore();
    const three = await Promise.all([1, 2, 3].map(() => installation.open()));
    await Promise.all(three.map((one) => one.runOnce()));
    for (const one of three) assert.equal(isSafe(one), true);
    assert.equal(await inits(), 1);
    const rows = await (three[0] as Process).app.db.read.selectFrom('event_epochs').selectAll().execute();
    assert.equal(rows.length, 1, 'one epoch for the one organization');
  });

  it('starts in a running process that finds the database behind what it last wrote, and its claims are refused before that', async () => {
    const { running, org, accountId } = await begun();
    await book(installation, org, accountId, 'Behind', SOON_MS);
    await running.app.safety.checkBeforeSend();
    await changeInstallation(running, { counter: (await counterOf(running)) - 1 });
    installation.advance(SOON_MS + 1_000);
    await running.runOnce();
    assert.equal(await inits(), 0);
    assert.deepEqual(await attemptsOf(running), [], 'nothing was claimed');
    await until('safe mode', async () => isSafe(running));
    assert.match(reasonOf(running), /lost changes that a running process had made/);
  });

  it('stops the claims of a process that does not know of it yet', async () => {
    const { running, org, accountId } = await begun();
    const id = await book(installation, org, accountId, 'Unheard', SOON_MS);
    await running.app.db.transact((tx) =>
      tx.updateTable('installation').set({ safe_since: 1, safe_reason: 'By another process.' }).execute(),
    );
    assert.equal(isSafe(running), false);
    const body = { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' };
    const now = await org.call('POST', `/api/v1/posts/${id}/publish`, body);
    assert.deepEqual([now.status, now.json.code], [503, 'safe_mode']);
    installation.advance(SOON_MS + 1_000);
    await running.runOnce();
    assert.equal(await inits(), 0);
    assert.deepEqual(await attemptsOf(running), [], 'nothing was claimed');
  });

  it('publishes nothing while the store is away at the start, says so in /readyz, and starts once the store is back', async () => {
    const { running, org, accountId } = await begun();
    const id = await book(installation, org, accountId, 'Away', SOON_MS);
    await running.stop();
    const restore = await installation.backUp();
    const next = await installation.start();
    installation.advance(SOON_MS + 1_000);
    await next.runOnce();
    await next.stop();
    await restore();
    let isAway = true;
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      load: (key) => (isAway ? Promise.reject(new Error('away')) : real.load(key)),
    });
    const restored = await installation.start({ store });
    await restored.runOnce();
    const ready = await restored.request('GET', '/readyz');
    assert.equal(ready.status, 503);
    assert.match(ready.json.checks.files, /file store has not answered/);
    const body = { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' };
    const path = `/api/v1/posts/${id}/publish`;
    const now = await restored.request('POST', path, { key: org.key, body });
    assert.deepEqual([now.status, now.json.code], [503, 'unavailable']);
    isAway = false;
    await until('the store was asked again', async () => isSafe(restored));
    await restored.runOnce();
    assert.equal(await inits(), 1);
  });

  it('sends nothing when the note cannot be written between the claim and the first call', async () => {
    const { running, org, accountId } = await begun();
    await running.stop();
    let isAway = false;
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      replace: (key, bytes) => (isAway ? Promise.reject(new Error('full')) : real.replace(key, bytes)),
    });
    const next = await installation.start({ store });
    const there = installation.organizationIn(next, org);
    const id = await book(installation, there, accountId, 'Unwritten', SOON_MS);
    isAway = true;
    installation.advance(SOON_MS + 1_000);
    await next.runOnce();
    assert.equal(await inits(), 0);
    const { data } = (await there.call('GET', `/api/v1/posts/${id}`)).json;
    assert.equal(data.status, 'scheduled');
    assert.match(data.last_publish_error, /store does not answer.*\(store_unavailable\)$/);
    // However long it lasts: nothing was sent, so it uses up none of the post's retries.
    for (let rounds = 0; rounds < MAX_RETRIES; rounds++) {
      installation.advance(10 * SOON_MS);
      await next.runOnce();
    }
    const after = (await there.call('GET', `/api/v1/posts/${id}`)).json.data;
    assert.deepEqual([after.status, after.publish_retries], ['scheduled', 0]);
    isAway = false;
    installation.advance(SOON_MS);
    await next.runOnce();
    assert.equal((await installation.visible()).get('Unwritten'), 1);
  });

  it('marks attempts unknown that were being sent in the backup, polls accepted ones, and keeps later slots', async () => {
    const { running, org, accountId } = await begun();
    const [sent, accepted] = [
      await book(installation, org, accountId, 'Sent', SOON_MS),
      await book(installation, org, accountId, 'Accepted', SOON_MS),
    ];
    const later = await book(installation, org, accountId, 'Later', 100 * SOON_MS);
    installation.advance(SOON_MS + 1_000);
    await running.runOnce();
    await installation.visible();
    await running.app.db
      .transact(async (tx) => {
        const open = { phase: 'sending', outcome: 'started', publish_id: null, accepted_at: null } as const;
        await tx.updateTable('dispatches').set(open).where('post_id', '=', sent).execute();
        await tx
          .updateTable('posts')
          .set({ status: 'publishing', posted_at: null })
          .where('id', '=', sent)
          .execute();
      })
      .catch(() => {});
    const { data } = (await declareAndRelease(running, { all_slots: false })).json;
    assert.deepEqual(
      data.kept.map(({ post_id }: { post_id: string }) => post_id),
      [later],
    );
    assert.deepEqual(
      data.unknown.map(({ post_id }: { post_id: string }) => post_id),
      [sent],
    );
    assert.deepEqual(
      data.observed.map(({ post_id }: { post_id: string }) => post_id),
      [accepted],
    );
    const found = (await org.call('GET', `/api/v1/posts/${sent}`)).json.data;
    assert.equal(found.status, 'publishing');
    assert.match(found.last_publish_error, /outcome is unknown.*\(restored\)$/);
  });

  it('turns posts with later slots into drafts too if the operator asks for it', async () => {
    const { running, org, accountId } = await begun();
    const later = await book(installation, org, accountId, 'Later', 100 * SOON_MS);
    const { data } = (await declareAndRelease(running, { all_slots: true })).json;
    assert.deepEqual(
      data.drafted.map(({ post_id }: { post_id: string }) => post_id),
      [later],
    );
  });

  it('turns a post into a draft instead of retrying it when an attempt that was accepted in the backup turns out to have failed', async () => {
    const { running, org, accountId } = await begun();
    const id = await book(installation, org, accountId, 'Failed since', SOON_MS);
    await installation.platform.control('outcomes', { status: 'FAILED', fail_reason: 'internal' });
    installation.advance(SOON_MS + 1_000);
    await running.runOnce();
    assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).json.data.status, 'posted');
    await declareAndRelease(running, {});
    await installation.visible();
    for (let i = 0; i < 3; i++) {
      installation.advance(SOON_MS);
      await running.runOnce();
    }
    const { data } = (await org.call('GET', `/api/v1/posts/${id}`)).json;
    assert.deepEqual([data.status, await inits()], ['draft', 1]);
  });

  it('records an event for each post turned into a draft, keeps archived ones archived and the counters right', async () => {
    const { running, org, accountId } = await begun();
    const due = await book(installation, org, accountId, 'Due', SOON_MS);
    const archived = await book(installation, org, accountId, 'Archived', SOON_MS);
    await org.call('PATCH', '/api/v1/posts/batch', { ids: [archived], action: 'archive' });
    installation.advance(SOON_MS + 1_000);
    const { data } = (await declareAndRelease(running, {})).json;
    assert.deepEqual(
      data.drafted.map(({ post_id }: { post_id: string }) => post_id),
      [due],
    );
    assert.equal((await org.call('GET', `/api/v1/posts/${archived}`)).json.data.status, 'archived');
    const events = (await org.call('GET', '/api/v1/events?after=evt_000000000')).json.data;
    const last = events.at(-1);
    assert.deepEqual(
      [last.type, last.data.post_id, last.data.error_code, last.data.will_retry],
      ['post.publish_failed', due, 'restored', false],
    );
    assert.deepEqual(await recount(running.app.db, ['posts']), []);
    assert.deepEqual(await recount(running.app.db, ['dispatches']), []);
  });

  async function declareAndRelease(running: Running, body: object) {
    await running.app.db.transact((tx) =>
      tx
        .updateTable('installation')
        .set({ safe_since: installation.clock.now(), safe_reason: 'By hand.' })
        .execute(),
    );
    await running.app.safety.checkBeforeSend();
    const answer = await running.request('POST', '/api/admin/v1/release', { key: ADMIN_TOKEN, body });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  }
});

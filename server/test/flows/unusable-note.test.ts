// A store that errs about the note, and installations that share a store: what each ends in. Nothing is sent twice, nothing
// becomes a draft, and what can recover by itself does.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { ObjectStore } from '../../src/object-store/object-store.js';
import { adoptStore } from '../../src/operator/adopt-store.js';
import { releaseByHand } from '../../src/operator/safe-mode-commands.js';
import { NOTE_KEY, serializeNote } from '../../src/restore-safety/note.js';
import { book, Installation, type Process, type Running } from '../support/installations/restore.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, type Organization } from '../support/service/harness.js';

const SOON_MS = 60_000;

/** What the store answers instead of the note. */
type Answer = (note: Buffer | null, old: Buffer) => Buffer | null;

const fails = (message: string) => () => {
  throw new Error(message);
};
const ANSWERS: Record<string, Answer> = {
  '404 with the code of the store': () => null,
  '404 without a code': fails('404'),
  '403': fails('403'),
  '500': fails('500'),
  'zero bytes': () => Buffer.alloc(0),
  'half of it': (note) => note?.subarray(0, note.length / 2) ?? null,
  'an old one': (_note, old) => old,
  'another’s': () =>
    serializeNote({
      installationId: 'another',
      counter: 7,
      tag: null,
      notedAt: Date.parse('2026-01-01T00:00:00Z'),
    }),
};

/** The mode of a process in the meantime: one that runs, and one that starts. */
const EXPECTED: Record<string, [running: string, starting: string]> = {
  '404 with the code of the store': ['unreadable', 'unchecked'],
  '404 without a code': ['normal', 'unchecked'],
  '403': ['normal', 'unchecked'],
  '500': ['normal', 'unchecked'],
  'zero bytes': ['unreadable', 'unreadable'],
  'half of it': ['unreadable', 'unreadable'],
  'an old one': ['normal', 'normal'],
  'another’s': ['unreadable', 'unchecked'],
};

onEngines('sqlite', 'A note that cannot be used', (engine) => {
  let installation: Installation;
  let answer: Answer | null = null;
  let old: Buffer;
  beforeEach(async () => {
    answer = null;
    installation = await Installation.make(engine);
  });
  afterEach(() => installation.remove());

  const erring = (real: ObjectStore): ObjectStore => ({
    ...real,
    load: async (key) => {
      const found = await real.load(key);
      return key === NOTE_KEY && answer ? answer(found, old) : found;
    },
  });
  const modeOf = ({ app }: Process): string => app.safety.mode.kind;
  const inits = async () => (await installation.ledger()).length;
  const start = () => installation.start({ store: erring, env: { ALIVE_DOUBT_MS: '3600000' } });

  async function begun(): Promise<{ running: Running; org: Organization; accountId: string }> {
    const running = await start();
    const org = await installation.newOrganization(running);
    const note = await running.app.store.load(NOTE_KEY);
    assert.ok(note);
    old = note;
    return { running, org, accountId: await org.connectAccount('creator') };
  }
  const statusIn = async ({ request }: Running, org: Organization, id: string): Promise<string> =>
    (await request('GET', `/api/v1/posts/${id}`, { key: org.key })).json.data.status;

  /** A due post waits while the store errs, and goes out when it does not. */
  async function goesOutAfterwards(running: Running, org: Organization, id: string): Promise<void> {
    const isSent = answer === ANSWERS['an old one'];
    installation.advance(SOON_MS + 1_000);
    await running.runOnce();
    assert.equal(await inits(), isSent ? 1 : 0);
    if (!isSent) assert.equal(await statusIn(running, org, id), 'scheduled');
    answer = null;
    await running.app.safety.checkBeforeSend();
    assert.equal(modeOf(running), 'normal');
    installation.advance(SOON_MS + 1_000);
    await running.runOnce();
    assert.equal(await statusIn(running, org, id), 'posted');
    assert.equal((await installation.visible()).get('Waits'), 1);
  }

  for (const [title, [whenRunning, whenStarting]] of Object.entries(EXPECTED)) {
    const moments = everyday(1, ['running', 'starting'], title);
    if (moments.includes('running'))
      it(`${title} beside a running process: nothing is sent meanwhile unless it is sound, and it ends by itself`, async () => {
        const { running, org, accountId } = await begun();
        const id = await book(installation, org, accountId, 'Waits', SOON_MS);
        await running.app.safety.checkBeforeSend();
        answer = ANSWERS[title] as Answer;
        await running.app.safety.checkBeforeSend();
        assert.equal(modeOf(running), whenRunning);
        const ready = await running.request('GET', '/readyz');
        assert.deepEqual([ready.status, ready.json.safe_mode], [200, false]);
        if (whenRunning === 'unreadable') assert.match(ready.json.checks.files, /airdate\/alive/);
        await goesOutAfterwards(running, org, id);
      });

    if (moments.includes('starting'))
      it(`${title} at a start: nothing is sent meanwhile unless it is sound, and it ends by itself`, async () => {
        const { running, org, accountId } = await begun();
        const id = await book(installation, org, accountId, 'Waits', SOON_MS);
        await running.stop();
        answer = ANSWERS[title] as Answer;
        const next = await start();
        assert.equal(modeOf(next), whenStarting);
        const ready = await next.request('GET', '/readyz');
        assert.deepEqual(
          [ready.status, ready.json.safe_mode],
          [whenStarting === 'unchecked' ? 503 : 200, false],
        );
        await goesOutAfterwards(next, installation.organizationIn(next, org), id);
      });
  }

  it('that is damaged for good is replaced by npm run end-safe-mode and by the operator’s route, and no post changes', async () => {
    const { running, org, accountId } = await begun();
    const id = await book(installation, org, accountId, 'Waits', SOON_MS);
    await running.app.store.replace(NOTE_KEY, Buffer.alloc(0));
    await running.app.safety.checkBeforeSend();
    assert.equal(modeOf(running), 'unreadable');
    const command = await installation.open();
    assert.match(await releaseByHand(command.app, {}), /A new note was written.*airdate\/alive.*was damaged/);
    await command.stop();
    await running.app.safety.checkBeforeSend();
    assert.equal(modeOf(running), 'normal');

    await installation.removeNote();
    await running.app.safety.checkBeforeSend();
    assert.equal(modeOf(running), 'unreadable');
    const another = await installation.open({ env: { ALIVE_DOUBT_MS: '3600000' } });
    assert.match(await releaseByHand(another.app, {}), /A new note was written.*airdate\/alive was missing/);
    await another.stop();
    await running.app.safety.checkBeforeSend();
    assert.equal(modeOf(running), 'normal');

    await running.app.store.replace(NOTE_KEY, Buffer.from('{'));
    await running.app.safety.checkBeforeSend();
    const body = { key: ADMIN_TOKEN, body: {} };
    const released = await running.request('POST', '/api/admin/v1/release', body);
    assert.deepEqual([released.status, released.json.data.safe_since], [200, null], released.text);
    assert.equal(modeOf(running), 'normal');
    const again = await running.request('POST', '/api/admin/v1/release', body);
    assert.deepEqual([again.status, again.json.code], [409, 'not_in_safe_mode']);
    installation.advance(SOON_MS + 1_000);
    await running.runOnce();
    assert.equal(await statusIn(running, org, id), 'posted');
  });

  it('that stays missing for a start counts as a restore once it has lasted', async () => {
    const { running } = await begun();
    await running.stop();
    await installation.removeNote();
    const next = await installation.open({ env: { ALIVE_DOUBT_MS: '200' } });
    assert.equal(modeOf(next), 'unchecked');
    await until('it has lasted', async () => {
      await next.app.safety.checkBeforeSend();
      return next.app.safety.mode.kind === 'safe';
    });
  });

  it('keeps an empty database from starting on the store of another installation, which does not notice', async () => {
    const { running } = await begun();
    const empty = await Installation.make(engine);
    try {
      const sharing = { store: () => running.app.store, env: { ALIVE_DOUBT_MS: '0' } };
      const before = await running.app.store.load(NOTE_KEY);
      await assert.rejects(
        empty.open(sharing),
        /file store \(.*files\) belongs to another installation.*DATA_DIR, or S3_BUCKET.*npm run adopt-store/,
      );
      assert.deepEqual(await running.app.store.load(NOTE_KEY), before);
      const damaged: ObjectStore = { ...running.app.store, load: async () => Buffer.from('{') };
      await assert.rejects(empty.open({ ...sharing, store: () => damaged }), /airdate\/alive is damaged/);
      await running.app.safety.checkBeforeSend();
      assert.equal(modeOf(running), 'normal');
    } finally {
      await empty.remove();
    }
  });

  it('puts a second installation with organizations into safe mode, leaves the first alone, and is not released', async () => {
    const { running } = await begun();
    const second = await Installation.make(engine);
    try {
      const first = await second.start();
      await second.newOrganization(first);
      await first.stop();
      const sharing = { store: () => running.app.store };
      const next = await second.start(sharing);
      assert.equal(modeOf(next), 'safe');
      for (let rounds = 0; rounds < 3; rounds++) {
        await next.app.safety.checkBeforeSend();
        await running.app.safety.checkBeforeSend();
      }
      assert.equal(modeOf(running), 'normal');
      const epochs = await next.app.db.read.selectFrom('event_epochs').selectAll().execute();
      assert.equal(epochs.length, 1, 'safe mode began once');
      const released = await next.request('POST', '/api/admin/v1/release', { key: ADMIN_TOKEN, body: {} });
      assert.deepEqual([released.status, released.json.code], [409, 'store_taken']);
    } finally {
      await second.remove();
    }
  });

  it('is adopted by an operator if it does not move, and not if it does', async () => {
    const { running } = await begun();
    const { store } = running.app;
    const fresh = await Installation.make(engine);
    try {
      const process: Process = await fresh.open();
      const { db } = process.app;
      const adopt = (around: Pick<ObjectStore, 'load' | 'replace'>) =>
        adoptStore({ db, store: around, now: fresh.clock.now(), watchMs: 50 });
      const moving: Pick<ObjectStore, 'load' | 'replace'> = {
        ...store,
        load: async (key) => {
          await running.app.safety.checkBeforeSend();
          return store.load(key);
        },
      };
      await assert.rejects(adopt(moving), /Another installation uses this file store right now/);
      assert.equal(modeOf(running), 'normal');
      await running.stop('killed');
      // Killed when the row was committed and the note not written: the command is repeated.
      const unwritable = { ...store, replace: () => Promise.reject(new Error('killed')) };
      await assert.rejects(adopt(unwritable), /killed/);
      assert.match(await adopt(store), /belongs to this installation from now on. Start the service/);
      assert.match(await adopt(store), /belongs to this installation already/);
      await process.stop('killed');
      const next = await fresh.open({ store: () => store });
      assert.equal(modeOf(next), 'normal');
      await next.stop('killed');
    } finally {
      await fresh.remove();
    }
  });
});

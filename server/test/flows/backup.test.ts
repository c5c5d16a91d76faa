// The drill of backups: one is made while the service is written to, and restored into each combination of engine and store.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  assertConsistent,
  assertSameRows,
  digestsOf,
  EVERY_PLACE,
  type Filled,
  fillInstallation,
  newFolder,
  type Place,
  run,
  writeMeanwhile,
} from '../support/installations/copying.js';
import { Installation, type Running } from '../support/installations/restore.js';
import { everyday } from '../support/runner/test-tiers.js';
import { codeNow, ticketOf } from '../support/service/factors.js';
import { ADMIN_TOKEN } from '../support/service/harness.js';
import { Browser, type TestPerson } from '../support/service/people.js';

const embedded = EVERY_PLACE[0] as Place;
const distributed = EVERY_PLACE.at(-1) as Place;

/** From where, and into what: on ordinary days there and back, in the proofs each into each. */
const DRILLS: readonly (readonly [from: Place, targets: readonly Place[]])[] = everyday(
  [
    [embedded, [distributed]],
    [distributed, [embedded]],
  ],
  EVERY_PLACE.map((place) => [place, EVERY_PLACE] as const),
);

/** Passwords and authenticator apps are the same as before. */
async function signInWithCode({ app, url }: Running, { email }: TestPerson): Promise<void> {
  const browser = new Browser(url);
  const ticket = await ticketOf({ browser, email });
  const answer = await browser.call('POST', '/api/v1/auth/second-factor', { ticket, code: codeNow(app) });
  assert.equal(answer.status, 200, answer.text);
}

for (const [from, targets] of DRILLS)
  describe(`a backup of ${from.join(' and ')}`, () => {
    const backups = newFolder();
    let source: Installation;
    let running: Running;
    let filled: Filled;
    before(async () => {
      source = await Installation.make(...from);
      running = await source.start();
      filled = await fillInstallation(source, running);
    });
    after(async () => {
      await source.remove();
      backups.remove();
    });

    it('is made while posts and files come and go', async () => {
      const writers = [1, 2].map(() => writeMeanwhile(filled.org));
      await run('backup', source.environment(), '--to', backups.below('busy'));
      for (const { stop } of writers) assert.ok((await stop()) > 0);
    });

    it('is made of a service at rest', async () => {
      await running.stop();
      const output = await run('backup', source.environment(), '--to', backups.below('quiet'));
      assert.match(output, /complete: \d+ rows and \d+ files.*\n.*does not contain the encryption key/);
    });

    for (const place of targets)
      describe(`restored into ${place.join(' and ')}`, () => {
        let target: Installation;
        let restored: Running;
        before(async () => {
          target = await Installation.make(...place);
        });
        after(() => target.remove());

        it('has every row and every file, and begins in safe mode', async () => {
          const output = await run('restore', target.environment(), '--from', backups.below('quiet'));
          assert.match(output, /is in safe mode.*\n.*npm run end-safe-mode/);
          const original = await source.open();
          const copy = await target.open();
          assertSameRows(await digestsOf(copy.app.db), await digestsOf(original.app.db));
          assert.equal(copy.app.safety.mode.kind, 'safe');
          assert.equal(await assertConsistent(copy), await assertConsistent(original));
          await original.stop();
          await copy.stop();
        });

        it('serves its posts, finds them by their text, and is released', async () => {
          restored = await target.start();
          const org = target.organizationIn(restored, filled.org);
          assert.equal((await restored.request('GET', '/readyz')).json.safe_mode, true);
          await signInWithCode(restored, filled.person);
          const found = await org.call('GET', '/api/v1/posts?q=crocodile');
          assert.deepEqual(
            found.json.data.map(({ id, caption }: { id: string; caption: string }) => [id, caption]),
            [[filled.slides, 'Ünïcode ✓ 𝄞 "quoted" \\ line\nbreak']],
          );
          const events = async () => (await org.call('GET', '/api/v1/events?after=evt_000000000')).json.data;
          const known = (await events()).map(({ id }: { id: string }) => id);
          await org.addPost({ title: 'Afterwards' });
          const [last] = (await events()).slice(-1);
          assert.equal(last.type, 'post.created');
          assert.ok(
            known.every((id: string) => id < last.id),
            'ids of events go on',
          );
          const released = await restored.request('POST', '/api/admin/v1/release', {
            key: ADMIN_TOKEN,
            body: {},
          });
          assert.equal(released.status, 200, released.text);
          assert.equal((await restored.request('GET', '/readyz')).json.safe_mode, false);
          await restored.stop();
        });

        it('is refused where something is already, and nothing changes there', async () => {
          const before = await rows(target);
          await assert.rejects(
            run('restore', target.environment(), '--from', backups.below('busy')),
            /not empty/,
          );
          assert.deepEqual(await rows(target), before);
        });
      });

    it('is consistent although it was made while posts and files came and went', async () => {
      const [place = from] = targets;
      const target = await Installation.make(...place);
      try {
        await run('restore', target.environment(), '--from', backups.below('busy'));
        const copy = await target.open();
        assert.ok((await assertConsistent(copy)) > 2);
        await copy.stop();
      } finally {
        await target.remove();
      }
    });
  });

async function rows(installation: Installation) {
  const opened = await installation.open();
  const { installation: _, ...digests } = await digestsOf(opened.app.db);
  await opened.stop();
  return digests;
}

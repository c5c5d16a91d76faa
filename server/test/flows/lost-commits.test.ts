// A database that loses its last commits, in a failover to a replica that lagged or by a restore to a point in time, while
// platform and file store keep what came of them: whatever is lost, no post is sent again.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Database } from '../../src/db/database.js';
import { releaseByHand } from '../../src/operator/safe-mode-commands.js';
import { assertChangeNotices } from '../support/databases/change-notice-check.js';
import { ENGINES } from '../support/databases/fresh-databases.js';
import { book, Installation, type Process } from '../support/installations/restore.js';

const SOON_MS = 60_000;
/** Longer than a lease. */
const STEP_MS = 61_000;

// SQLite is copied beside the running process; with Postgres, a real replica does the same in the proofs.
describe('A database that lost its last commits', { skip: !ENGINES.includes('sqlite') }, () => {
  let installation: Installation;
  beforeEach(async () => {
    installation = await Installation.make('sqlite');
  });
  afterEach(() => installation.remove());

  const inits = async () => (await installation.ledger()).length;

  /** What people see of the post. */
  async function shownAs({ app }: Process, id: string): Promise<string> {
    const post = await app.db.read
      .selectFrom('posts')
      .select(['status', 'last_publish_error'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const attempts = await app.db.read
      .selectFrom('dispatches')
      .select('outcome')
      .where('post_id', '=', id)
      .orderBy('attempt')
      .execute();
    const last = attempts.at(-1)?.outcome ?? 'no attempt';
    assert.ok(post.status !== 'publishing' || last === 'unknown', `the post is left ${post.status}, ${last}`);
    return `${post.status}, ${last}`;
  }

  it('lets no byte of a video leave before the note is written, however often its transfer begins', async () => {
    let isAway = false;
    const running = await installation.start({
      store: (real) => ({
        ...real,
        replace: (key, bytes) => (isAway ? Promise.reject(new Error('away')) : real.replace(key, bytes)),
      }),
      connector: (real) => ({
        ...real,
        prepare: async (...given) => {
          const prepared = await real.prepare(...given);
          isAway = true;
          return prepared;
        },
      }),
    });
    const org = await installation.newOrganization(running);
    const id = await book(installation, org, await org.connectAccount('creator'), 'Once', SOON_MS, 'video');
    installation.advance(SOON_MS + 1_000);
    for (let rounds = 0; rounds < 3; rounds++) {
      await running.runOnce();
      installation.advance(6_000);
    }
    assert.deepEqual(
      (await installation.ledger()).map(({ bytes }) => bytes),
      [0],
    );
    isAway = false;
    await running.runOnce();
    assert.equal((await installation.visible()).get('Once'), 1);
    installation.advance(6_000);
    await running.runOnce();
    assert.equal(await shownAs(running, id), 'posted, published');
  });

  for (const type of ['slides', 'video'] as const)
    it(`sends ${type} no second time, whichever commit since the claim was the last one kept`, async () => {
      const copies: (() => Promise<void>)[] = [];
      let isWatching = false;
      const watched = (real: Database): Database => ({
        ...assertChangeNotices(real),
        transact: async (work) => {
          const result = await real.transact(work);
          if (isWatching) copies.push(installation.copyNow());
          return result;
        },
      });
      const running = await installation.start({ database: watched });
      const org = await installation.newOrganization(running);
      const id = await book(installation, org, await org.connectAccount('creator'), 'Once', SOON_MS, type);
      installation.advance(SOON_MS + 1_000);
      isWatching = true;
      await running.runOnce();
      assert.equal((await installation.visible()).get('Once'), 1);
      installation.advance(2_000);
      await running.runOnce();
      isWatching = false;
      assert.equal(await shownAs(running, id), 'posted, published');
      await running.stop('killed');
      const putNoteBack = installation.copyNote();

      const ends = new Map<string, number>();
      for (const [i, restore] of copies.entries()) {
        await restore();
        putNoteBack();
        const next = await installation.open();
        for (let rounds = 0; rounds < 3; rounds++) {
          installation.advance(STEP_MS);
          await next.runOnce();
        }
        assert.equal(await inits(), 1, `commit ${i + 1} of ${copies.length} was the last one kept`);
        if (next.app.safety.mode.kind === 'safe') await releaseByHand(next.app, {});
        installation.advance(STEP_MS);
        await next.runOnce();
        assert.equal(await inits(), 1, `released after commit ${i + 1} of ${copies.length}`);
        const end = await shownAs(next, id);
        ends.set(end, (ends.get(end) ?? 0) + 1);
        await next.stop('killed');
      }
      assert.ok(copies.length >= 6, `only ${copies.length} commits were seen`);
      // Lost before the attempt was on disk: a draft. Lost afterwards: known, or unknown.
      assert.deepEqual([...ends.keys()].sort().slice(-2), ['posted, published', 'publishing, unknown']);
    });
});

// Attempts whose submit may have taken place, on platforms where that can be found out.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { createSeal } from '../../src/core/seal.js';
import { SEALED_ATTEMPTS } from '../../src/publishing/attempt/sealed.js';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import { OTHER_PLATFORMS, OtherPlatform } from '../support/platform/other-platforms.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { addDispatch, setPost } from '../support/service/posts.js';

const HOUR_MS = 3_600_000;

onEngines('postgres', 'A submit whose answer was not recorded', (engine) => {
  const others = { ask: new OtherPlatform('ask'), repeat: new OtherPlatform('repeat') };
  const service = useService(engine, {
    command: 'api',
    connectors: { ask: others.ask.connector, repeat: others.repeat.connector },
    env: { SOCIAL_API_URL: 'http://127.0.0.1:9' },
  });

  /** A post whose worker is gone, and whose submit was about to leave this long ago. */
  async function interrupted(platform: (typeof OTHER_PLATFORMS)[number], agoMs = 60_000) {
    const { app } = service;
    const org = await service.newOrganization();
    const account = await org.addAccount();
    await app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({
          platform,
          access_token: app.seal.seal('token', [org.id, account, 'social_accounts.access_token']),
          access_expires_at: app.clock.now() + 100 * HOUR_MS,
          refresh_at: app.clock.now() + 50 * HOUR_MS,
        })
        .where('id', '=', account)
        .execute(),
    );
    const title = `Interrupted ${app.newId()}`;
    const id = await org.addPost({ title });
    await setPost(service, id, { status: 'publishing', social_account_id: account });
    const draft = { type: 'slides', mode: 'direct', title };
    const started_at = app.clock.now() - agoMs;
    const attempt = await addDispatch(service, org, id, {
      social_account_id: account,
      platform,
      outcome: 'started',
      phase: 'sending',
      publish_id: null,
      social_status: null,
      started_at,
      sent_at: started_at,
      next_at: app.clock.now() - 1,
      snapshot: JSON.stringify({
        draft,
        slides: [],
        video: null,
        lost: platform,
        from: 'draft',
        interruptions: 0,
      }),
    });
    const memo = `memo of ${id}`;
    await app.db.transact((tx) =>
      tx
        .updateTable('dispatches')
        .set({
          submission_ref: app.seal.seal(
            memo,
            SEALED_ATTEMPTS.contextOf({ org_id: org.id, id: attempt }, 'submission_ref'),
          ),
        })
        .where('id', '=', attempt)
        .execute(),
    );
    const published = () => others[platform].ledger(title).length;
    /** A worker that was paused in its call makes it now. */
    const wake = () => {
      const { submit } = others[platform].connector;
      return submit(
        'token',
        { ...draft, title } as never,
        { addresses: [] },
        memo,
        AbortSignal.timeout(60_000),
      );
    };
    const outcome = async () =>
      (
        await app.db.read
          .selectFrom('dispatches')
          .select(['outcome', 'revoked_at', 'attempt'])
          .where('post_id', '=', id)
          .execute()
      ).map((row) => [row.outcome, row.revoked_at]);
    return { id, published, wake, outcome };
  }

  async function reconcile(): Promise<void> {
    const workers = createEngine(service.app);
    await workers.poll();
    await workers.idle();
  }

  for (const platform of OTHER_PLATFORMS) {
    it(`is found out by the same attempt, and the post is published once (${platform})`, async () => {
      const { published, wake, outcome } = await interrupted(platform);
      await reconcile();
      assert.deepEqual([published(), await outcome()], [1, [['accepted', null]]]);
      await wake();
      assert.equal(published(), 1);
    });

    it(`waits while the process does not have the key of its memo (${platform})`, async () => {
      const { id, published, outcome } = await interrupted(platform);
      const { read } = service.app.db;
      const find = read.selectFrom('dispatches').select('submission_ref').where('post_id', '=', id);
      const { submission_ref: memo } = await find.executeTakeFirstOrThrow();
      const setMemo = (text: string | null) =>
        service.app.db.transact((tx) =>
          tx.updateTable('dispatches').set({ submission_ref: text }).where('post_id', '=', id).execute(),
        );
      await setMemo(createSeal(randomBytes(32)).seal('a memo', []));
      await reconcile();
      assert.deepEqual([published(), await outcome()], [0, [['started', null]]]);
      await setMemo(memo);
      service.clock.advance(HOUR_MS / 60);
      await reconcile();
      assert.deepEqual([published(), await outcome()], [1, [['accepted', null]]]);
    });

    it(`is not repeated once the post is archived, and its late arrival counts (${platform})`, async () => {
      const { id, published, wake, outcome } = await interrupted(platform);
      await setPost(service, id, { status: 'archived' });
      await reconcile();
      assert.deepEqual([published(), await outcome()], [0, [['started', null]]]);
      if (platform === 'repeat') return;
      await wake();
      service.clock.advance(HOUR_MS / 60);
      await reconcile();
      assert.deepEqual([published(), await outcome()], [1, [['accepted', null]]]);
    });
  }

  it('is asked about and not repeated when it is too late, and the attempt stays open (ask)', async () => {
    const { published, wake, outcome } = await interrupted('ask', 7 * HOUR_MS);
    await reconcile();
    assert.deepEqual([published(), await outcome()], [0, [['started', null]]]);
    await wake();
    service.clock.advance(HOUR_MS / 60);
    await reconcile();
    assert.deepEqual([published(), await outcome()], [1, [['accepted', null]]]);
  });

  it('is unknown when it is too late to repeat it (repeat)', async () => {
    const { published, outcome } = await interrupted('repeat', 7 * HOUR_MS);
    await reconcile();
    assert.deepEqual([published(), await outcome()], [0, [['unknown', null]]]);
  });
});

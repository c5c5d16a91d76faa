// What posts of before lack is filled by a loop: a bounded number of posts at a time, and only once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { backfillPosts } from '../../src/posts/backfill.js';
import { indexPosts } from '../../src/posts/search/indexing.js';
import { onEngines } from '../runner/test-tiers.js';
import { type Organization, useService } from '../service/harness.js';
import {
  addDispatch,
  addPostIn,
  archive,
  changePost,
  listIds,
  readPost,
  setPost,
  slot,
} from '../service/posts.js';
import { addOldPost, addPosts, changeOldPost } from '../service/searching.js';
import { WITHOUT_WORKER } from '../service/uploads.js';

const SLOT = Date.parse('2026-01-01T12:00:00Z');

onEngines('both', 'Posts that were there before', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  /** As if its posts had been there before the columns were. */
  async function forget(org: Organization): Promise<void> {
    await service.app.db.transact(async (tx) => {
      await tx
        .updateTable('posts')
        .set({ title_key: null, last_slot: null })
        .where('org_id', '=', org.id)
        .execute();
      await tx
        .insertInto('organizations_to_backfill')
        .values({
          org_id: org.id,
          created_at: -1,
          post_id: '00000000-0000-0000-0000-000000000000',
          batches: 0,
        })
        .execute();
    });
  }

  const versions = async (org: Organization) =>
    (
      await service.app.db.read
        .selectFrom('posts')
        .select('version')
        .where('org_id', '=', org.id)
        .orderBy('id')
        .execute()
    ).map(({ version }) => version);

  const listed = async () =>
    (await service.app.db.read.selectFrom('organizations_to_backfill').selectAll().execute()).length;

  it('are sorted by title once a worker has been through them, and keep their version', async () => {
    const org = await service.newOrganization();
    const titles = Array.from({ length: 120 }, (_, n) => ({
      title: `Post ${String((n * 37) % 120).padStart(3, '0')}`,
    }));
    const ids = await addPosts(service, org, titles);
    const sorted = await listIds(org, { sort: 'title', per_page: 100 });
    await forget(org);
    const before = await versions(org);
    assert.deepEqual(await listIds(org, { sort: 'title', per_page: 100 }), [...ids].sort().slice(0, 100));
    await backfillPosts(service.app, 50);
    assert.equal(await listed(), 1);
    await backfillPosts(service.app);
    assert.equal(await listed(), 0);
    assert.deepEqual(await listIds(org, { sort: 'title', per_page: 100 }), sorted);
    assert.deepEqual(await versions(org), before);
  });

  it('say which slot they lost, if their last attempt was of a slot and they still carry its error', async () => {
    const org = await service.newOrganization();
    const failed = { outcome: 'failed', error_message: 'No (no)', scheduled_for: SLOT } as const;
    const post = async (
      attempt: Partial<Parameters<typeof addDispatch>[3]>,
      fields: Parameters<typeof setPost>[2] = {},
    ) => {
      const id = await org.addPost();
      await addDispatch(service, org, id, { ...failed, attempt: 1, scheduled_for: SLOT - 1000 });
      await addDispatch(service, org, id, { ...failed, attempt: 2, ...attempt });
      await setPost(service, id, { last_publish_error: 'No (no)', ...fields });
      return id;
    };
    const lost = await post({});
    const missed = await post({}, { last_publish_error: 'Too late. Last error: No (no) (slot_missed)' });
    const archived = await post({});
    await archive(org, archived);
    const others = [
      await post({ scheduled_for: null }),
      await post({ outcome: 'published' }, { status: 'posted', posted_at: SLOT }),
      await post({}, { last_publish_error: null }),
      await post({}, { last_publish_error: 'Another (other)' }),
      await org.addPost(),
    ];
    const waiting = await post({});
    await changePost(org, waiting, await slot(service, org));
    await setPost(service, waiting, { last_publish_error: 'No (no)' });
    await forget(org);
    const before = await service.app.db.read.selectFrom('posts').select(['id', 'version']).execute();
    await backfillPosts(service.app);
    for (const id of [lost, missed, archived]) {
      assert.equal((await readPost(org, id)).last_slot, '2026-01-01T12:00:00Z');
      const { version } = before.find((row) => row.id === id) ?? { version: 0 };
      const [row] = await service.app.reads.postById(org.id, id);
      assert.equal(row?.version, version + 1, 'a response changes, so its ETag does');
    }
    for (const id of [...others, waiting]) assert.equal((await readPost(org, id)).last_slot, null);
  });

  it('get the outcome of their last attempt, and another ETag with it', async () => {
    const org = await service.newOrganization();
    const ids = await addPosts(
      service,
      org,
      Array.from({ length: 60 }, (_, n) => ({ title: `Post ${n}` })),
    );
    const tried = ids.slice(0, 30);
    const social_account_id = await org.addAccount();
    for (const id of tried) {
      await addDispatch(service, org, id, { attempt: 1, outcome: 'failed', social_account_id });
      await addDispatch(service, org, id, { attempt: 2, outcome: 'published', social_account_id });
    }
    await service.app.db.transact(async (tx) => {
      await tx.updateTable('posts').set({ last_outcome: null }).where('org_id', '=', org.id).execute();
      const beginning = { created_at: -1, post_id: '00000000-0000-0000-0000-000000000000', batches: 0 };
      await tx
        .insertInto('organizations_without_outcomes')
        .values({ org_id: org.id, ...beginning })
        .execute();
    });
    assert.deepEqual(await listIds(org, { outcome: 'published' }), []);
    const before = await versions(org);
    await backfillPosts(service.app);
    const left = await service.app.db.read.selectFrom('organizations_without_outcomes').selectAll().execute();
    assert.deepEqual(left, []);
    assert.deepEqual((await listIds(org, { outcome: 'published', per_page: 100 })).sort(), [...tried].sort());
    assert.equal((await listIds(org, { outcome: 'failed' })).length, 0);
    const sorted = [...ids].sort();
    assert.deepEqual(
      await versions(org),
      before.map((version, n) => version + (tried.includes(sorted[n] as string) ? 1 : 0)),
    );
  });

  it('get their key with their text if a process of the previous release wrote them', async () => {
    const org = await service.newOrganization();
    const b = await addOldPost(service, org, { title: 'B' });
    const a = await addPostIn(service, org, 'draft', { title: 'A' });
    await indexPosts(service.app);
    assert.deepEqual(await listIds(org, { sort: 'title' }), [a, b]);
    const before = await versions(org);
    await changeOldPost(service, a, { title: 'C' });
    await indexPosts(service.app);
    await indexPosts(service.app);
    assert.deepEqual(await listIds(org, { sort: 'title' }), [b, a]);
    assert.deepEqual(await versions(org), [before[0], (before[1] ?? 0) + 1]);
  });
});

// Lists of posts by the outcome of their last attempt.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SORTS } from '../../src/posts/list/schema.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addDispatch,
  addPostIn,
  archive,
  assertRefused,
  listIds,
  listPosts,
  readPost,
} from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/posts';
const OUTCOMES = ['started', 'accepted', 'published', 'in_inbox', 'failed', 'unknown'] as const;
const FILTERED = ['published', 'in_inbox', 'failed', 'unknown'] as const;

onEngines('both', 'GET /api/v1/posts, outcome', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  /** Three posts of each outcome, one of them archived, and one that was never tried. */
  async function posts() {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const all: { id: string; outcome: string | null }[] = [];
    for (const outcome of OUTCOMES)
      for (let n = 0; n < 3; n++) {
        const isOut = ['accepted', 'published', 'in_inbox'].includes(outcome);
        const fields = { title: `Post ${n} harbour`, post_type: n === 0 ? 'video' : 'slides' };
        const id = await addPostIn(service, org, isOut ? 'posted' : 'draft', {
          ...fields,
          ...(n < 2 ? { social_account_id: account } : {}),
        });
        await addDispatch(service, org, id, { outcome, social_account_id: account });
        if (n === 2) await archive(org, id);
        all.push({ id, outcome });
      }
    all.push({ id: await org.addPost({ title: 'Never tried, harbour' }), outcome: null });
    const ids = (isWanted: (outcome: string | null) => boolean) =>
      all.filter(({ outcome }) => isWanted(outcome)).map(({ id }) => id);
    return { org, account, ids };
  }

  it('shows the posts whose last attempt ended like this, newest first, with their number', async () => {
    const { org, ids } = await posts();
    for (const outcome of FILTERED) {
      const { data, pagination } = await listPosts(org, { outcome });
      assert.deepEqual(
        data.map(({ id, in_inbox }) => [id, in_inbox]),
        ids((each) => each === outcome)
          .reverse()
          .map((id) => [id, outcome === 'in_inbox']),
      );
      assert.equal(pagination.total, 3, outcome);
    }
    const others = ids((each) => each !== 'in_inbox');
    const { data, pagination } = await listPosts(org, { outcome_not: 'in_inbox', per_page: 50 });
    assert.deepEqual(
      data.map(({ id }) => id),
      others.toReversed(),
    );
    assert.equal(pagination.total, others.length);
  });

  it('is combined with every other filter, order, page and cursor', async () => {
    const { org, account, ids } = await posts();
    for (const query of [
      ...FILTERED.map((outcome) => ({ outcome })),
      { outcome_not: 'in_inbox' as const },
      { outcome: 'published' as const, outcome_not: 'in_inbox' as const },
      { outcome: 'in_inbox' as const, outcome_not: 'in_inbox' as const },
    ]) {
      const wanted = ids(
        (each) =>
          (!('outcome' in query) || each === query.outcome) &&
          (!('outcome_not' in query) || each !== 'in_inbox'),
      );
      const same = async (more: Parameters<typeof listPosts>[1]) => {
        const plain = (await listIds(org, { ...more, per_page: 100 })).filter((id) => wanted.includes(id));
        const { data, pagination } = await listPosts(org, { ...more, ...query, per_page: 100 });
        const found = data.map(({ id }) => id);
        assert.deepEqual(found, plain, JSON.stringify({ ...more, ...query }));
        assert.equal(pagination.total, plain.length, JSON.stringify({ ...more, ...query }));
      };
      await same({ status: 'posted' });
      await same({ status: 'draft,archived' });
      await same({ post_type: 'video' });
      await same({ social_account_id: account });
      await same({ social_account_id: account, status: 'posted', sort: '-posted_at' });
      await same({ q: 'harbour' });
      await same({ q: 'harbour', sort: 'title' });
      await same({ posted_from: '2020-01-01T00:00:00Z' });
      await same({ posted_from: '2020-01-01T00:00:00Z', sort: 'posted_at' });
      for (const sort of everyday(3, SORTS, JSON.stringify(query))) {
        await same({ sort });
        const pages: string[] = [];
        let cursor: string | null | undefined = '';
        while (typeof cursor === 'string') {
          const page = (await org.sdk.posts.list({ ...query, sort, per_page: 2, cursor })) as Awaited<
            ReturnType<typeof listPosts>
          > & { next_cursor?: string | null };
          pages.push(...page.data.map(({ id }) => id));
          cursor = page.next_cursor;
        }
        assert.deepEqual(pages, await listIds(org, { ...query, sort, per_page: 100 }), `${sort}, by cursor`);
      }
      const second = await listIds(org, { ...query, per_page: 2, page: 2 });
      assert.deepEqual(second, wanted.toReversed().slice(2, 4));
    }
  });

  it('is of the last attempt, whichever process wrote it', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'posted');
    assert.deepEqual(await listIds(org, { outcome: 'failed' }), []);
    const social_account_id = await org.addAccount();
    const dispatchId = await addDispatch(service, org, id, {
      attempt: 2,
      outcome: 'accepted',
      social_account_id,
    });
    await addDispatch(service, org, id, { attempt: 1, outcome: 'failed', social_account_id });
    assert.deepEqual(await listIds(org, { outcome: 'failed' }), []);
    assert.equal((await readPost(org, id)).in_inbox, false);
    const before = (await org.call('GET', `${PATH}/${id}`)).headers.get('etag');
    // As a process does that does not know the column.
    await service.app.db.transact((tx) =>
      tx
        .updateTable('dispatches')
        .set({ outcome: 'in_inbox' })
        .where('org_id', '=', org.id)
        .where('id', '=', dispatchId)
        .execute(),
    );
    const after = await org.call('GET', `${PATH}/${id}`);
    assert.equal(after.json.data.in_inbox, true);
    assert.notEqual(after.headers.get('etag'), before);
  });

  it('refuses what it does not know', async () => {
    const org = await service.newOrganization();
    for (const value of ['posted', 'accepted', '', 'in_inbox,failed'])
      assertRefused(await org.call('GET', `${PATH}?outcome=${value}`), 'outcome');
    assertRefused(await org.call('GET', `${PATH}?outcome_not=published`), 'outcome_not');
  });
});

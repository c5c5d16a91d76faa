import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  analyticsOf,
  archive,
  assertRefused,
  changePost,
  listIds,
  listPosts,
  readPost,
  STATUSES,
  setPost,
  slot,
  UNKNOWN_ID,
  unarchive,
} from '../support/service/posts.js';

const PATH = '/api/v1/posts/batch';

onEngines('postgres', 'PATCH /api/v1/posts/batch, archive', (engine) => {
  const service = useService(engine);

  for (const status of STATUSES)
    it(`archives a post that is ${status}`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, status);
      assert.deepEqual(await archive(org, id), { archived: 1 });
      assert.equal((await readPost(org, id)).status, 'archived');
    });

  it('answers {"data": {"archived": n}} and nothing else', async () => {
    const org = await service.newOrganization();
    const ids = [await org.addPost(), await org.addPost()];
    const { status, json } = await org.call('PATCH', PATH, { ids, action: 'archive' });
    assert.equal(status, 200);
    assert.deepEqual(json, { data: { archived: 2 } });
  });

  it('archives posts of all states together', async () => {
    const org = await service.newOrganization();
    const ids = [];
    for (const status of STATUSES) ids.push(await addPostIn(service, org, status));
    assert.deepEqual(await archive(org, ...ids), { archived: 5 });
    assert.equal((await listPosts(org, { status: 'archived' })).pagination.total, 5);
    assert.equal((await listPosts(org)).pagination.total, 5);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('clears the slot of a scheduled post', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const before = await readPost(org, id);
    await archive(org, id);
    const after = await readPost(org, id);
    assert.deepEqual(after, {
      ...before,
      status: 'archived',
      scheduled_at: null,
      updated_at: after.updated_at,
    });
    assert.equal((await analyticsOf(org)).scheduled, 0);
  });

  it('keeps posted_at, text, account and options', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const id = await org.addPost({ caption: 'Text', hashtags: '#tag', social_account_id: account });
    await setPost(service, id, { status: 'posted', posted_at: service.clock.now(), disable_duet: 1 });
    const before = await readPost(org, id);
    await archive(org, id);
    const after = await readPost(org, id);
    assert.deepEqual(after, { ...before, status: 'archived', updated_at: after.updated_at });
  });

  it('counts an archived post again, and changes nothing about it', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'archived');
    const before = await readPost(org, id);
    assert.deepEqual(await archive(org, id), { archived: 1 });
    assert.deepEqual(await readPost(org, id), before);
  });

  it('counts a post once, however often its id is sent and however it is spelled', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.deepEqual(await archive(org, id, id, id.toUpperCase()), { archived: 1 });
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('skips ids that do not exist, silently', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.deepEqual(await archive(org, UNKNOWN_ID, id, service.app.newId()), { archived: 1 });
    assert.deepEqual(await archive(org, UNKNOWN_ID), { archived: 0 });
  });

  it('skips and leaves alone the posts of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const [own, foreign] = [await org.addPost(), await addPostIn(service, other, 'scheduled')];
    const before = await readPost(other, foreign);
    assert.deepEqual(await archive(org, foreign, own), { archived: 1 });
    assert.deepEqual(await readPost(other, foreign), before);
    assert.deepEqual(await listIds(org), [own]);
    assert.equal((await analyticsOf(other)).scheduled, 1);
  });

  it('takes 1 to 50 ids', async () => {
    const org = await service.newOrganization();
    const ids = Array.from({ length: 50 }, () => service.app.newId());
    ids[49] = await org.addPost();
    assert.deepEqual(await archive(org, ...ids), { archived: 1 });
    assertRefused(await org.call('PATCH', PATH, { ids: [], action: 'archive' }), 'ids');
    assertRefused(
      await org.call('PATCH', PATH, { ids: [...ids, service.app.newId()], action: 'archive' }),
      'ids',
    );
  });

  it('archives 50 posts in one request', async () => {
    const org = await service.newOrganization();
    const ids = await Promise.all(Array.from({ length: 50 }, () => org.addPost()));
    assert.deepEqual(await archive(org, ...ids), { archived: 50 });
    assert.equal((await listPosts(org, { status: 'archived' })).pagination.total, 50);
  });

  it('refuses an entry that is not a UUID, names it, and archives none of the others', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assertRefused(await org.call('PATCH', PATH, { ids: [id, 'x'], action: 'archive' }), 'ids/1');
    assertRefused(await org.call('PATCH', PATH, { ids: [5, id], action: 'archive' }), 'ids/0');
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  it('needs ids and an action, and names what is missing, wrong or unknown', async () => {
    const org = await service.newOrganization();
    const ids = [await org.addPost()];
    assertRefused(await org.call('PATCH', PATH, {}), 'ids', 'action');
    assertRefused(await org.call('PATCH', PATH, { ids }), 'action');
    assertRefused(await org.call('PATCH', PATH, { action: 'archive' }), 'ids');
    assertRefused(await org.call('PATCH', PATH, { ids: ids[0], action: 'archive' }), 'ids');
    assertRefused(await org.call('PATCH', PATH, { ids, action: 'delete' }), 'action');
    assertRefused(await org.call('PATCH', PATH, { ids, action: 'archive', force: true }), 'force');
  });

  it('refuses any query parameter, and names it', async () => {
    const org = await service.newOrganization();
    const ids = [await org.addPost()];
    assertRefused(await org.call('PATCH', `${PATH}?dry_run=true`, { ids, action: 'archive' }), 'dry_run');
    assert.equal((await readPost(org, ids[0] as string)).status, 'draft');
  });

  it('serves concurrent batches that overlap in opposite orders', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (const status of STATUSES)
      for (let i = 0; i < 4; i++) ids.push(await addPostIn(service, org, status));
    const batches = Array.from({ length: 10 }, (_, i) => (i % 2 ? ids : [...ids].reverse()));
    const answers = await Promise.all(batches.map((batch) => archive(org, ...batch)));
    for (const answer of answers) assert.deepEqual(answer, { archived: ids.length });
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });
});

onEngines('sqlite', 'PATCH /api/v1/posts/batch, unarchive', (engine) => {
  const service = useService(engine);

  it('answers {"data": {"unarchived": n}} and nothing else', async () => {
    const org = await service.newOrganization();
    const ids = [await addPostIn(service, org, 'archived'), await addPostIn(service, org, 'archived')];
    const { status, json } = await org.call('PATCH', PATH, { ids, action: 'unarchive' });
    assert.equal(status, 200);
    assert.deepEqual(json, { data: { unarchived: 2 } });
  });

  it('returns a post to draft if it was never published', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ caption: 'Text' });
    const before = await readPost(org, id);
    await archive(org, id);
    await unarchive(org, id);
    const after = await readPost(org, id);
    assert.deepEqual(after, { ...before, updated_at: after.updated_at });
  });

  it('returns a post to posted if posted_at is set', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'posted');
    const before = await readPost(org, id);
    await archive(org, id);
    await unarchive(org, id);
    const after = await readPost(org, id);
    assert.deepEqual(after, { ...before, updated_at: after.updated_at });
  });

  it('returns a post that was scheduled to draft, without its slot, ready to be booked again', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    await archive(org, id);
    await unarchive(org, id);
    const { status, scheduled_at } = await readPost(org, id);
    assert.deepEqual({ status, scheduled_at }, { status: 'draft', scheduled_at: null });
    assert.equal((await changePost(org, id, await slot(service, org))).status, 'scheduled');
  });

  it('restores published and unpublished posts of one batch each to their own state', async () => {
    const org = await service.newOrganization();
    const [draft, posted] = [await org.addPost(), await addPostIn(service, org, 'posted')];
    await archive(org, draft, posted);
    assert.deepEqual(await unarchive(org, draft, posted), { unarchived: 2 });
    assert.equal((await readPost(org, draft)).status, 'draft');
    assert.equal((await readPost(org, posted)).status, 'posted');
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('leaves a post that is not archived as it is', async () => {
    const org = await service.newOrganization();
    for (const status of ['draft', 'scheduled', 'publishing', 'posted'] as const) {
      const id = await addPostIn(service, org, status);
      const before = await readPost(org, id);
      await unarchive(org, id);
      assert.deepEqual(await readPost(org, id), before);
    }
  });

  it('counts each post once and skips unknown and foreign ids', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const [own, foreign] = [
      await addPostIn(service, org, 'archived'),
      await addPostIn(service, other, 'archived'),
    ];
    assert.deepEqual(await unarchive(org, own, own, UNKNOWN_ID, foreign), { unarchived: 1 });
    assert.equal((await readPost(other, foreign)).status, 'archived');
  });

  it('takes 1 to 50 ids', async () => {
    const org = await service.newOrganization();
    const ids = Array.from({ length: 51 }, () => service.app.newId());
    assert.deepEqual(await unarchive(org, ...ids.slice(0, 50)), { unarchived: 0 });
    assertRefused(await org.call('PATCH', PATH, { ids, action: 'unarchive' }), 'ids');
    assertRefused(await org.call('PATCH', PATH, { ids: [], action: 'unarchive' }), 'ids');
  });
});

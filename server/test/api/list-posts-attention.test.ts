import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  archive,
  assertRefused,
  changePost,
  listIds,
  listPosts,
  readPost,
  readyPost,
  setPost,
  slot,
} from '../support/service/posts.js';
import { grant, media, put, removeOne, upload } from '../support/service/uploads.js';

const PATH = '/api/v1/posts';

onEngines('sqlite', 'GET /api/v1/posts, needs_attention=true', (engine) => {
  const service = useService(engine);

  it('shows posts whose last publish failed', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await org.addPost();
    await setPost(service, id, { last_publish_error: 'The platform refused the post (spam_risk)' });
    const { data, pagination } = await listPosts(org, { needs_attention: true });
    assert.deepEqual(
      data.map((post) => post.id),
      [id],
    );
    assert.equal(pagination.total, 1);
  });

  it('shows posts whose outcome is unknown', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'publishing');
    await addPostIn(service, org, 'publishing');
    await setPost(service, id, { last_publish_error: 'The outcome is not known (outcome_unknown)' });
    assert.deepEqual(await listIds(org, { needs_attention: true }), [id]);
  });

  it('shows scheduled posts whose account must be reconnected, until it is', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const id = await readyPost(org);
    await changePost(org, id, await slot(service, org, account));
    const other = await readyPost(org);
    await changePost(org, other, await slot(service, org));
    assert.deepEqual(await listIds(org, { needs_attention: true }), []);
    const setAccount = (status: 'connected' | 'reconnect_required') =>
      service.app.db.transact((tx) =>
        tx.updateTable('social_accounts').set({ status }).where('id', '=', account).execute(),
      );
    await setAccount('reconnect_required');
    assert.deepEqual(await listIds(org, { needs_attention: true }), [id]);
    await setAccount('connected');
    assert.deepEqual(await listIds(org, { needs_attention: true }), []);
  });

  it('shows scheduled posts whose account was disconnected: they would only wait', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const id = await readyPost(org);
    await changePost(org, id, await slot(service, org, account));
    assert.deepEqual(await listIds(org, { needs_attention: true }), []);
    assert.equal((await org.call('DELETE', `/api/v1/social-accounts/${account}`)).status, 204);
    assert.deepEqual(await listIds(org, { needs_attention: true }), [id]);
  });

  it('shows scheduled posts without media, until a file is ready or the slot is given up', async () => {
    const org = await service.newOrganization();
    const attention = () => listIds(org, { needs_attention: true });
    await org.addPost();
    const id = await addPostIn(service, org, 'scheduled');
    assert.deepEqual(await attention(), [id]);
    assert.deepEqual(await listIds(org, { needs_attention: true, q: 'post' }), [id]);
    const granted = await grant(org, id);
    assert.deepEqual(await attention(), [id]);
    assert.equal((await put(granted.upload_url, media('slide.png'), 'image/png')).status, 200);
    assert.deepEqual(await attention(), []);
    assert.deepEqual(await listIds(org, { needs_attention: true, q: 'post' }), []);
    const second = await upload(org, id, 'slide.jpg');
    assert.equal((await removeOne(org, id, granted.object_key)).status, 204);
    assert.deepEqual(await attention(), []);
    assert.equal((await removeOne(org, id, second.object_key)).status, 204);
    assert.deepEqual(await attention(), [id]);
    await changePost(org, id, { status: 'draft' });
    assert.deepEqual(await attention(), []);
    assert.deepEqual(await recount(service.app.db, ['slots']), []);
  });

  it('does not show archived posts, whatever they lack', async () => {
    const org = await service.newOrganization();
    const [failed, empty] = [await org.addPost(), await addPostIn(service, org, 'scheduled')];
    await setPost(service, failed, { last_publish_error: 'Refused (spam_risk)' });
    assert.deepEqual(await listIds(org, { needs_attention: true }), [empty, failed]);
    await archive(org, failed, empty);
    assert.deepEqual(await listIds(org, { needs_attention: true }), []);
  });

  it('shows a post once, even if it needs attention twice', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const { social_account_id } = await readPost(org, id);
    await setPost(service, id, { last_publish_error: 'The grant is gone (access_token_invalid)' });
    await service.app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({ status: 'reconnect_required' })
        .where('id', '=', social_account_id as string)
        .execute(),
    );
    assert.deepEqual(await listIds(org, { needs_attention: true }), [id]);
  });

  it('combines with the other filters', async () => {
    const org = await service.newOrganization();
    const ids = [];
    for (const title of ['map', 'bird']) {
      const id = await org.addPost({ title, post_type: title === 'map' ? 'slides' : 'video' });
      await setPost(service, id, { last_publish_error: 'Refused (spam_risk)' });
      ids.push(id);
    }
    const [map, bird] = ids;
    assert.deepEqual(await listIds(org, { needs_attention: true, q: 'map' }), [map]);
    assert.deepEqual(await listIds(org, { needs_attention: true, post_type: 'video' }), [bird]);
    assert.deepEqual(await listIds(org, { needs_attention: true, status: 'posted' }), []);
    assert.deepEqual(await listIds(org, { needs_attention: true, per_page: 1, page: 2 }), [map]);
  });

  it('accepts only true and false', async () => {
    const org = await service.newOrganization();
    assert.equal((await listPosts(org, { needs_attention: false })).pagination.total, 0);
    for (const value of ['', '1', 'yes', 'TRUE'])
      assertRefused(await org.call('GET', `${PATH}?needs_attention=${value}`), 'needs_attention');
  });
});

import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  analyticsOf,
  assertRefused,
  at,
  changePost,
  readPost,
  setPost,
} from '../support/service/posts.js';

const NOON = Date.parse('2030-01-01T12:00:00Z');
const MINUTE_MS = 60_000;

onEngines('sqlite', 'Rescheduling by PATCH', (engine) => {
  const service = useService(engine);
  beforeEach(() => service.clock.stopAt(NOON));
  afterEach(() => service.clock.resume());

  it('moves the slot with a new scheduled_at alone', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const before = await readPost(org, id);
    const scheduled_at = at(NOON + 2 * 60 * MINUTE_MS);
    assert.deepEqual(await changePost(org, id, { scheduled_at }), { ...before, scheduled_at });
  });

  it('moves the slot with status scheduled as well', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const body = { status: 'scheduled' as const, scheduled_at: at(NOON + 5 * MINUTE_MS) };
    const post = await changePost(org, id, body);
    assert.deepEqual(post, { ...post, ...body });
    assert.equal((await analyticsOf(org)).scheduled, 1);
  });

  it('needs five minutes again', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const before = await readPost(org, id);
    const tooEarly = { scheduled_at: at(NOON + 5 * MINUTE_MS - 1000) };
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, tooEarly), 'scheduled_at');
    assert.deepEqual(await readPost(org, id), before);
  });

  it('refuses to move the slot into the past, the epoch (0) included', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const before = await readPost(org, id);
    for (const scheduled_at of [at(NOON - 1000), '1970-01-01T00:00:01Z', '1970-01-01T00:00:00Z'])
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { scheduled_at }), 'scheduled_at');
    assert.deepEqual(await readPost(org, id), before);
  });

  it('needs five minutes even when the old time is sent again', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const { scheduled_at } = await readPost(org, id);
    service.clock.advance(58 * MINUTE_MS);
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { scheduled_at }), 'scheduled_at');
  });

  it('lets other fields change in the last five minutes, when scheduled_at is not sent', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    service.clock.advance(58 * MINUTE_MS);
    assert.equal((await changePost(org, id, { title: 'Last words' })).title, 'Last words');
    const post = await changePost(org, id, { status: 'scheduled', caption: 'Really the last' });
    assert.equal(post.status, 'scheduled');
    assert.equal(post.caption, 'Really the last');
  });

  for (const field of ['scheduled_at', 'social_account_id', 'privacy_level'] as const)
    it(`refuses to clear ${field}, which the slot needs`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, 'scheduled');
      const before = await readPost(org, id);
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { [field]: null }), field);
      assert.deepEqual(await readPost(org, id), before);
    });

  it('lets account and privacy level be changed', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const change = { social_account_id: await org.addAccount(), privacy_level: 'SELF_ONLY' as const };
    const post = await changePost(org, id, change);
    assert.deepEqual(post, { ...post, ...change, status: 'scheduled' });
  });

  it('starts the retries anew with a new slot', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    await setPost(service, id, { publish_retries: 4 });
    const post = await changePost(org, id, { scheduled_at: at(NOON + 2 * 60 * MINUTE_MS) });
    assert.equal(post.publish_retries, 0);
  });
});

onEngines('sqlite', 'Unscheduling by PATCH', (engine) => {
  const service = useService(engine);
  beforeEach(() => service.clock.stopAt(NOON));
  afterEach(() => service.clock.resume());

  it('returns the post to draft and clears scheduled_at, and keeps everything else', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled', { caption: 'Text' });
    const before = await readPost(org, id);
    const after = await changePost(org, id, { status: 'draft' });
    assert.deepEqual(after, { ...before, status: 'draft', scheduled_at: null });
    assert.equal((await analyticsOf(org)).scheduled, 0);
  });

  it('may clear in the same request what the slot needed', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const change = { social_account_id: null, privacy_level: null, scheduled_at: null };
    const after = await changePost(org, id, { status: 'draft', ...change });
    assert.deepEqual(after, { ...after, ...change, status: 'draft' });
  });

  it('clears the time of a draft, and is no error for a draft without one', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await changePost(org, id, { scheduled_at: at(NOON + 60 * MINUTE_MS) });
    for (let times = 0; times < 2; times++) {
      const post = await changePost(org, id, { status: 'draft' });
      assert.equal(post.status, 'draft');
      assert.equal(post.scheduled_at, null);
    }
  });

  it('works in the last five minutes and after the slot', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    await setPost(service, id, { scheduled_at: NOON + 1000 });
    assert.equal((await changePost(org, id, { status: 'draft' })).status, 'draft');
  });

  it('can be followed by a new booking with the account and privacy level that stayed', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    await changePost(org, id, { status: 'draft' });
    const scheduled_at = at(NOON + 5 * MINUTE_MS);
    const post = await changePost(org, id, { status: 'scheduled', scheduled_at });
    assert.deepEqual(post, { ...post, status: 'scheduled', scheduled_at });
  });
});

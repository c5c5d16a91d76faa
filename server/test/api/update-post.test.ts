import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { PRIVACY_LEVELS } from '../../src/posts/schema.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertProblem,
  assertRefused,
  at,
  changePost,
  listIds,
  listPosts,
  POST_FIELDS,
  readPost,
  setPost,
  slot,
} from '../support/service/posts.js';

const TOGGLES = [
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
] as const;

onEngines('postgres', 'PATCH /api/v1/posts/{id}', (engine) => {
  const service = useService(engine);
  afterEach(() => service.clock.resume());

  it('changes any combination of fields and answers with the whole post', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const before = await readPost(org, id);
    const change = {
      title: 'New title',
      caption: 'New caption',
      hashtags: '#new',
      scheduled_at: at(service.clock.now() + 3_600_000),
      social_account_id: await org.addAccount(),
      privacy_level: 'FOLLOWER_OF_CREATOR' as const,
      publish_mode: 'inbox' as const,
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
      brand_content_toggle: true,
      brand_organic_toggle: true,
    };
    const after = await changePost(org, id, change);
    assert.deepEqual(after, { ...before, ...change, updated_at: after.updated_at });
    assert.deepEqual(Object.keys(after).sort(), [...POST_FIELDS].sort());
    assert.deepEqual(await readPost(org, id), after);
  });

  it('leaves a field that is absent as it is', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ caption: 'Caption', hashtags: '#tags' });
    const set = await changePost(org, id, { publish_mode: 'inbox', disable_duet: true });
    const after = await changePost(org, id, { title: 'Only the title' });
    assert.deepEqual(after, { ...set, title: 'Only the title', updated_at: after.updated_at });
  });

  it('accepts an empty change and changes nothing', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const before = await readPost(org, id);
    assert.deepEqual(await changePost(org, id, {}), before);
  });

  it('moves updated_at and never created_at', async () => {
    const start = Date.parse('2030-01-01T12:00:00Z');
    service.clock.stopAt(start);
    const org = await service.newOrganization();
    const id = await org.addPost();
    service.clock.advance(90_000);
    const { created_at, updated_at } = await changePost(org, id, { title: 'Later' });
    assert.deepEqual({ created_at, updated_at }, { created_at: at(start), updated_at: at(start + 90_000) });
  });

  it('clears each nullable field with null', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({
      caption: 'Caption',
      hashtags: '#tags',
      social_account_id: await org.addAccount(),
    });
    await changePost(org, id, {
      scheduled_at: at(service.clock.now() + 3_600_000),
      privacy_level: 'SELF_ONLY',
    });
    for (const field of [
      'caption',
      'hashtags',
      'social_account_id',
      'scheduled_at',
      'privacy_level',
    ] as const) {
      assert.notEqual((await readPost(org, id))[field], null);
      assert.equal((await changePost(org, id, { [field]: null }))[field], null);
      assert.equal((await readPost(org, id))[field], null);
    }
  });

  it('does not clear fields that cannot be null', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const field of ['title', 'status', 'publish_mode', ...TOGGLES])
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { [field]: null }), field);
    assert.equal((await readPost(org, id)).title, 'A post');
  });

  for (const toggle of TOGGLES)
    it(`turns ${toggle} on and off, and no other toggle with it`, async () => {
      const org = await service.newOrganization();
      const id = await org.addPost();
      for (const on of [true, false]) {
        const post = await changePost(org, id, { [toggle]: on });
        for (const name of TOGGLES) assert.equal(post[name], name === toggle && on);
      }
    });

  it('accepts the four privacy levels and no other', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.equal(PRIVACY_LEVELS.length, 4);
    for (const privacy_level of PRIVACY_LEVELS)
      assert.equal((await changePost(org, id, { privacy_level })).privacy_level, privacy_level);
    for (const privacy_level of ['PUBLIC', 'self_only', '', 1])
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { privacy_level }), 'privacy_level');
  });

  it('accepts the two publish modes and no other', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const publish_mode of ['inbox', 'direct'] as const)
      assert.equal((await changePost(org, id, { publish_mode })).publish_mode, publish_mode);
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { publish_mode: 'draft' }), 'publish_mode');
  });

  for (const [field, most] of [
    ['title', 500],
    ['caption', 2200],
    ['hashtags', 500],
  ] as const)
    it(`takes a ${field} of ${most} characters, not counted in UTF-16 units, and refuses more`, async () => {
      const org = await service.newOrganization();
      const id = await org.addPost();
      for (const character of ['x', '\u{1F9ED}']) {
        const longest = character.repeat(most);
        assert.equal((await changePost(org, id, { [field]: longest }))[field], longest);
        const tooLong = { [field]: longest + character };
        assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, tooLong), field);
      }
    });

  it('takes a title of one character and refuses an empty one', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.equal((await changePost(org, id, { title: 'x' })).title, 'x');
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { title: '' }), 'title');
  });

  it('coerces nothing: a value of another JSON type is refused', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const [field, value] of [
      ['title', 5],
      ['caption', ['x']],
      ['hashtags', true],
      ['scheduled_at', 1893499200],
      ['social_account_id', 0],
      ['disable_comment', 'true'],
      ['disable_duet', 1],
    ] as const)
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { [field]: value }), field);
  });

  it('names an unknown field, and does not accept one that cannot be changed', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const field of [
      'captoin',
      'post_type',
      'org_id',
      'posted_at',
      'publish_retries',
      'last_publish_error',
      'id',
    ])
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { [field]: 'x' }), field);
  });

  it('refuses any query parameter, and names it', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}?dry_run=true`, { title: 'New' }), 'dry_run');
    assert.equal((await readPost(org, id)).title, 'A post');
  });

  it('changes nothing at all when one field is refused', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const before = await readPost(org, id);
    const answer = await org.call('PATCH', `/api/v1/posts/${id}`, {
      title: 'Must not stay',
      social_account_id: service.app.newId(),
    });
    assertRefused(answer, 'social_account_id');
    assert.deepEqual(await readPost(org, id), before);
  });

  it('refuses an account that is unknown, foreign, disconnected or not a UUID', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const id = await org.addPost();
    const refused = [
      service.app.newId(),
      await other.addAccount(),
      await org.addAccount('disconnected'),
      'x',
      '',
    ];
    for (const social_account_id of refused)
      assertRefused(
        await org.call('PATCH', `/api/v1/posts/${id}`, { social_account_id }),
        'social_account_id',
      );
    assert.equal((await readPost(org, id)).social_account_id, null);
  });

  it('moves the post from one account to another in the lists of both', async () => {
    const org = await service.newOrganization();
    const [from, to] = [await org.addAccount(), await org.addAccount()];
    const id = await org.addPost({ social_account_id: from });
    await changePost(org, id, { social_account_id: to });
    assert.deepEqual(await listIds(org, { social_account_id: from }), []);
    assert.equal((await listPosts(org, { social_account_id: from })).pagination.total, 0);
    assert.deepEqual(await listIds(org, { social_account_id: to }), [id]);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('is allowed on a scheduled post, which keeps its slot', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled', { caption: 'Old' });
    const before = await readPost(org, id);
    const change = { title: 'Better', caption: null, hashtags: '#x', publish_mode: 'inbox' as const };
    const after = await changePost(org, id, change);
    assert.deepEqual(after, { ...before, ...change, updated_at: after.updated_at });
  });

  for (const status of ['publishing', 'posted', 'archived'] as const)
    it(`is 409 for a post that is ${status}, which stays as it was`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, status);
      const before = await readPost(org, id);
      for (const change of [
        { title: 'New' },
        { status: 'draft' },
        await slot(service, org),
        { caption: null },
      ])
        assertProblem(await org.call('PATCH', `/api/v1/posts/${id}`, change), 409, 'wrong_state');
      assert.deepEqual(await readPost(org, id), before);
    });

  it('is allowed again once an archived draft is restored', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'archived');
    await org.sdk.request('PATCH', '/api/v1/posts/batch', { body: { ids: [id], action: 'unarchive' } });
    assert.equal((await changePost(org, id, { title: 'Back' })).title, 'Back');
  });

  it('keeps retries and the last error when only text changes', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const left = { publish_retries: 2, last_publish_error: 'The platform asked to wait (rate_limit)' };
    await setPost(service, id, left);
    const { publish_retries, last_publish_error } = await changePost(org, id, { title: 'New' });
    assert.deepEqual({ publish_retries, last_publish_error }, left);
  });

  it('loses no change when many requests change different fields at once', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const changes = [
      { title: 'T' },
      { caption: 'C' },
      { hashtags: '#h' },
      { publish_mode: 'inbox' as const },
      ...TOGGLES.map((toggle) => ({ [toggle]: true })),
    ];
    await Promise.all(changes.map((change) => changePost(org, id, change)));
    const post = await readPost(org, id);
    assert.deepEqual(post, Object.assign({ ...post }, ...changes));
  });

  it('refuses a body that is not an object', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const body of [[], 'title', 5, null, undefined])
      assert.equal((await org.call('PATCH', `/api/v1/posts/${id}`, body)).status, 400);
  });
});

import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  assertProblem,
  assertRefused,
  listPosts,
  POST_FIELDS,
  readPost,
  TIMESTAMP,
} from '../support/service/posts.js';

const PATH = '/api/v1/posts';

onEngines('sqlite', 'POST /api/v1/posts', (engine) => {
  const service = useService(engine);
  afterEach(() => service.clock.resume());

  it('creates a draft from a title alone, with every other field at its default', async () => {
    service.clock.stopAt(Date.parse('2030-01-01T12:00:00.789Z'));
    const org = await service.newOrganization();
    const post = (await org.sdk.request('POST', PATH, { body: { title: 'Five ways to fold a map' } })).data;
    assert.deepEqual(post, {
      id: post.id,
      org_id: org.id,
      post_type: 'slides',
      title: 'Five ways to fold a map',
      caption: null,
      hashtags: null,
      status: 'draft',
      scheduled_at: null,
      last_slot: null,
      posted_at: null,
      social_account_id: null,
      publish_mode: 'direct',
      publish_retries: 0,
      last_publish_error: null,
      in_inbox: false,
      privacy_level: null,
      disable_comment: false,
      disable_duet: false,
      disable_stitch: false,
      brand_content_toggle: false,
      brand_organic_toggle: false,
      labels: [],
      cover_index: null,
      cover_ms: null,
      created_at: '2030-01-01T12:00:00Z',
      updated_at: '2030-01-01T12:00:00Z',
    });
  });

  it('takes every field that the specification lists', async () => {
    const org = await service.newOrganization();
    const body = {
      title: 'A film',
      post_type: 'video' as const,
      caption: 'Watch to the end.\nReally.',
      hashtags: '#film #end',
      social_account_id: await org.addAccount(),
    };
    const post = (await org.sdk.request('POST', PATH, { body })).data;
    assert.deepEqual({ ...post, ...body }, post);
    assert.equal(post.status, 'draft');
  });

  it('answers 201 with the whole post, and a Location where it can be read again', async () => {
    const org = await service.newOrganization();
    const created = await org.call('POST', PATH, { title: 'A post' });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.json), ['data']);
    assert.deepEqual(Object.keys(created.json.data).sort(), [...POST_FIELDS].sort());
    assert.match(created.json.data.created_at, TIMESTAMP);
    assert.match(created.json.data.updated_at, TIMESTAMP);
    const location = created.headers.get('location') ?? '';
    assert.equal(location, `${PATH}/${created.json.data.id}`);
    assert.deepEqual((await org.call('GET', location)).json, created.json);
  });

  it('gives ids that are UUIDs of version 7 and grow, even when the clock stands still or steps back', async () => {
    const org = await service.newOrganization();
    const now = Date.now();
    const ids: string[] = [];
    for (const ms of [now, now, now - 60_000, now - 60_000, now + 1]) {
      service.clock.stopAt(ms);
      ids.push(await org.addPost());
    }
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(ids, [...ids].sort());
    assert.equal(new Set(ids).size, ids.length);
  });

  it('keeps text exactly as it was sent', async () => {
    const org = await service.newOrganization();
    const body = {
      title: '  Größe \u{1F9ED} e\u0301 ﬁ ',
      caption: ' 100% _\\_ "x" <b>\r\n\t',
      hashtags: '#İstanbul ',
    };
    const { id } = (await org.sdk.request('POST', PATH, { body })).data;
    const { title, caption, hashtags } = await readPost(org, id);
    assert.deepEqual({ title, caption, hashtags }, body);
  });

  for (const [field, most] of [
    ['title', 500],
    ['caption', 2200],
    ['hashtags', 500],
  ] as const) {
    it(`takes a ${field} of ${most} characters and refuses one of ${most + 1}`, async () => {
      const org = await service.newOrganization();
      const taken = await org.call('POST', PATH, { title: 'A post', [field]: 'x'.repeat(most) });
      assert.equal(taken.status, 201);
      assertRefused(await org.call('POST', PATH, { title: 'A post', [field]: 'x'.repeat(most + 1) }), field);
    });

    it(`counts the characters of a ${field} and not its UTF-16 units`, async () => {
      const org = await service.newOrganization();
      const longest = '\u{1F9ED}'.repeat(most);
      const taken = await org.call('POST', PATH, { title: 'A post', [field]: longest });
      assert.equal(taken.status, 201);
      assert.equal(taken.json.data[field], longest);
      assertRefused(await org.call('POST', PATH, { title: 'A post', [field]: `${longest}\u{1F9ED}` }), field);
    });
  }

  it('takes a title of one character and refuses an empty one', async () => {
    const org = await service.newOrganization();
    assert.equal((await org.call('POST', PATH, { title: 'x' })).status, 201);
    assertRefused(await org.call('POST', PATH, { title: '' }), 'title');
  });

  it('refuses a body without a title', async () => {
    const org = await service.newOrganization();
    assertRefused(await org.call('POST', PATH, {}), 'title');
    assertRefused(await org.call('POST', PATH, { title: null }), 'title');
  });

  it('accepts only slides and video as types', async () => {
    const org = await service.newOrganization();
    for (const post_type of ['slides', 'video'] as const)
      assert.equal(
        (await org.sdk.request('POST', PATH, { body: { title: 'A post', post_type } })).data.post_type,
        post_type,
      );
    for (const post_type of ['photo', 'Slides', '', 1])
      assertRefused(await org.call('POST', PATH, { title: 'A post', post_type }), 'post_type');
  });

  it('coerces nothing: a value of another JSON type is refused', async () => {
    const org = await service.newOrganization();
    for (const field of ['title', 'caption', 'hashtags', 'social_account_id'])
      for (const value of [5, true, ['x'], { x: 1 }])
        assertRefused(await org.call('POST', PATH, { title: 'A post', [field]: value }), field);
  });

  it('names an unknown field', async () => {
    const org = await service.newOrganization();
    assertRefused(await org.call('POST', PATH, { title: 'A post', captoin: 'x' }), 'captoin');
  });

  it('refuses any query parameter, and names it', async () => {
    const org = await service.newOrganization();
    assertRefused(await org.call('POST', `${PATH}?draft=true`, { title: 'A post' }), 'draft');
  });

  it('does not accept fields that only the service or a later change may set', async () => {
    const org = await service.newOrganization();
    for (const field of [
      'id',
      'org_id',
      'status',
      'scheduled_at',
      'posted_at',
      'publish_retries',
      'created_at',
    ])
      assertRefused(await org.call('POST', PATH, { title: 'A post', [field]: 'x' }), field);
  });

  it('names every broken field at once, each once', async () => {
    const org = await service.newOrganization();
    const answer = await org.call('POST', PATH, {
      title: '',
      post_type: 'photo',
      caption: 'x'.repeat(2201),
      hashtags: 5,
      social_account_id: 'not-a-uuid',
      colour: 'red',
    });
    assertRefused(answer, 'title', 'post_type', 'caption', 'hashtags', 'social_account_id', 'colour');
    for (const { message } of answer.json.errors) assert.ok(message.length > 0);
  });

  it('refuses a body that is not an object', async () => {
    const org = await service.newOrganization();
    for (const body of [[], 'title', 5, null]) assert.equal((await org.call('POST', PATH, body)).status, 400);
    assert.equal((await org.call('POST', PATH)).status, 400);
  });

  it('refuses an unknown account', async () => {
    const org = await service.newOrganization();
    const social_account_id = service.app.newId();
    assertRefused(await org.call('POST', PATH, { title: 'A post', social_account_id }), 'social_account_id');
  });

  it('refuses an account of another organization with the same words as an unknown one', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const foreign = await org.call('POST', PATH, {
      title: 'A post',
      social_account_id: await other.addAccount(),
    });
    assertRefused(foreign, 'social_account_id');
    const unknown = await org.call('POST', PATH, { title: 'A post', social_account_id: service.app.newId() });
    assert.deepEqual(foreign.json.errors, unknown.json.errors);
    assert.equal(foreign.json.detail, unknown.json.detail);
  });

  it('refuses an account that was disconnected', async () => {
    const org = await service.newOrganization();
    const social_account_id = await org.addAccount('disconnected');
    assertRefused(await org.call('POST', PATH, { title: 'A post', social_account_id }), 'social_account_id');
  });

  it('accepts the id of an account in capitals and answers with the canonical spelling', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const body = { title: 'A post', social_account_id: account.toUpperCase() };
    assert.equal((await org.sdk.request('POST', PATH, { body })).data.social_account_id, account);
    assert.equal((await listPosts(org, { social_account_id: account })).pagination.total, 1);
  });

  it('leaves nothing behind when it refuses', async () => {
    const org = await service.newOrganization();
    await org.call('POST', PATH, { title: 'A post', social_account_id: service.app.newId() });
    await org.call('POST', PATH, { title: '' });
    assert.deepEqual((await listPosts(org)).pagination, { page: 1, per_page: 20, total: 0, total_pages: 0 });
  });

  it('refuses malformed JSON as such', async () => {
    const org = await service.newOrganization();
    const headers = { 'content-type': 'application/json' };
    const answer = await service.request('POST', PATH, { key: org.key, raw: '{"title": "A post"', headers });
    assertProblem(answer, 400, 'malformed_json');
  });
});

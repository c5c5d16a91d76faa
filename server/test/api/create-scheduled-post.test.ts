// One request creates a post with everything that PATCH could set afterwards, its slot included.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  analyticsOf,
  assertProblem,
  assertRefused,
  at,
  changePost,
  listPosts,
  readPost,
  slot,
} from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/posts';
const HOUR_MS = 3_600_000;

onEngines('sqlite', 'POST /api/v1/posts with the fields of PATCH', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  const newLabel = async (org: Awaited<ReturnType<typeof service.newOrganization>>) =>
    (await org.sdk.labels.create({ name: 'Maps', colour: 'teal' })).id;

  it('creates the same scheduled post as creating and scheduling it in two requests', async () => {
    service.clock.stopAt(Date.parse('2030-01-01T12:00:00Z'));
    try {
      const org = await service.newOrganization();
      const fields = {
        ...(await slot(service, org)),
        caption: 'All at once.',
        hashtags: '#maps',
        publish_mode: 'inbox' as const,
        disable_comment: true,
        brand_organic_toggle: true,
        labels: [await newLabel(org)],
        cover_index: 2,
        options: {},
      };
      const answer = await org.call('POST', PATH, { title: 'A post', ...fields });
      assert.equal(answer.status, 201, answer.text);
      const one = answer.json.data;
      assert.equal(answer.headers.get('location'), `${PATH}/${one.id}`);
      const read = await org.call('GET', `${PATH}/${one.id}`);
      assert.deepEqual(read.json.data, one);
      assert.equal(read.headers.get('etag'), answer.headers.get('etag'));

      const id = await org.addPost();
      const two = await changePost(org, id, { title: 'A post', ...fields });
      assert.deepEqual({ ...one, id }, two);
      assert.equal(one.status, 'scheduled');
    } finally {
      service.clock.resume();
    }
  });

  it('counts, finds, logs and reports the post as a scheduled one', async () => {
    const org = await service.newOrganization();
    const label = await newLabel(org);
    const body = { title: 'Folding a harbour', labels: [label], ...(await slot(service, org)) };
    const { id } = (await org.sdk.request('POST', PATH, { body })).data;
    const { total_posts, scheduled } = await analyticsOf(org);
    assert.deepEqual({ total_posts, scheduled }, { total_posts: 1, scheduled: 1 });
    for (const query of [{ status: 'scheduled' }, { q: 'harbour' }, { label }, { needs_attention: true }])
      assert.deepEqual(
        (await listPosts(org, query)).data.map((post) => post.id),
        [id],
      );
    const [act] = (await org.sdk.organization.audit()).data;
    assert.equal(act?.action, 'post.scheduled');
    assert.equal(act?.target?.id, id);
    const { data: events } = await org.sdk.request('GET', '/api/v1/events');
    const event = events.at(-1);
    assert.equal(event?.type, 'post.scheduled');
    assert.equal(event?.data.post_id, id);
  });

  it('keeps a time without a status for later, as PATCH does', async () => {
    const org = await service.newOrganization();
    const scheduled_at = at(service.clock.now() + HOUR_MS);
    const post = (await org.sdk.request('POST', PATH, { body: { title: 'A post', scheduled_at } })).data;
    assert.deepEqual([post.status, post.scheduled_at], ['draft', scheduled_at]);
  });

  it('takes null wherever PATCH does', async () => {
    const org = await service.newOrganization();
    const empty = {
      caption: null,
      hashtags: null,
      scheduled_at: null,
      social_account_id: null,
      privacy_level: null,
      cover_index: null,
      cover_ms: null,
    };
    const answer = await org.call('POST', PATH, { title: 'A post', status: 'draft', ...empty });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual({ ...answer.json.data, ...empty }, answer.json.data);
    for (const field of ['title', 'status', 'publish_mode', 'disable_duet', 'labels', 'options'])
      assertRefused(await org.call('POST', PATH, { title: 'A post', [field]: null }), field);
  });

  it('names what a slot lacks, and creates nothing', async () => {
    const org = await service.newOrganization();
    const title = 'A post';
    const whole = await slot(service, org);
    assertRefused(
      await org.call('POST', PATH, { title, status: 'scheduled' }),
      'scheduled_at',
      'social_account_id',
      'privacy_level',
    );
    for (const field of ['scheduled_at', 'social_account_id', 'privacy_level'])
      assertRefused(await org.call('POST', PATH, { title, ...whole, [field]: null }), field);
    const soon = at(service.clock.now() + 60_000);
    assertRefused(await org.call('POST', PATH, { title, ...whole, scheduled_at: soon }), 'scheduled_at');
    assertRefused(await org.call('POST', PATH, { title, scheduled_at: soon }), 'scheduled_at');
    assertRefused(await org.call('POST', PATH, { title, ...whole, status: 'draft' }), 'scheduled_at');
    assertRefused(await org.call('POST', PATH, { title, ...whole, status: 'posted' }), 'status');
    assertRefused(await org.call('POST', PATH, { title, ...whole, cover_ms: 5 }), 'cover_ms');
    const branded = { brand_content_toggle: true, privacy_level: 'SELF_ONLY' };
    assertRefused(await org.call('POST', PATH, { title, ...whole, ...branded }), 'privacy_level');
    const other = await service.newOrganization();
    const social_account_id = await other.addAccount();
    assertRefused(await org.call('POST', PATH, { title, ...whole, social_account_id }), 'social_account_id');
    assert.equal((await listPosts(org)).pagination.total, 0);
    assert.equal((await analyticsOf(org)).total_posts, 0);
  });

  it('requires posts:publish for a slot, and posts:write alone for everything else', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['posts:write']);
    const { status, ...fields } = await slot(service, org);
    const create = (body: unknown) => service.request('POST', PATH, { key, body });
    const refused = await create({ title: 'A post', status, ...fields });
    assertProblem(refused, 403, 'insufficient_scope');
    assert.match(refused.json.detail, /^Scheduling or moving a post needs the scope posts:publish\./);
    assert.equal((await listPosts(org)).pagination.total, 0);
    const draft = await create({
      title: 'A post',
      ...fields,
      disable_duet: true,
      status: 'draft',
      scheduled_at: null,
    });
    assert.equal(draft.status, 201, draft.text);
  });

  it('books one slot for requests with one Idempotency-Key', async () => {
    const org = await service.newOrganization();
    const body = { title: 'A post', ...(await slot(service, org)) };
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all([1, 2, 3].map(() => org.call('POST', PATH, body, headers)));
    for (const { status, json } of answers) {
      assert.equal(status, 201);
      assert.deepEqual(json, answers[0]?.json);
    }
    const { data } = await listPosts(org, { status: 'scheduled' });
    assert.equal(data.length, 1);
    assert.deepEqual(await readPost(org, data[0]?.id as string), answers[0]?.json.data);
  });
});

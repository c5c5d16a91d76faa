import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertProblem,
  assertRefused,
  POST_FIELDS,
  readPost,
  STATUSES,
  setPost,
  slot,
  TIMESTAMP,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';

onEngines('sqlite', 'GET /api/v1/posts/{id}', (engine) => {
  const service = useService(engine);

  it('returns the post under data, exactly as its creation and its last change did', async () => {
    const org = await service.newOrganization();
    const created = await org.sdk.posts.create({ title: 'A post', caption: 'Text' });
    assert.deepEqual(await readPost(org, created.id), created);
    const body = await slot(service, org);
    const changed = await org.sdk.posts.update(created.id, body);
    assert.deepEqual(await readPost(org, created.id), changed);
  });

  for (const status of STATUSES)
    it(`has every field of the post object and no other when the post is ${status}`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, status);
      const { json } = await org.call('GET', `/api/v1/posts/${id}`);
      assert.deepEqual(Object.keys(json), ['data']);
      assert.deepEqual(Object.keys(json.data).sort(), [...POST_FIELDS].sort());
      assert.equal(json.data.status, status);
    });

  it('writes every timestamp as YYYY-MM-DDTHH:MM:SSZ, whatever the stored milliseconds', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'posted');
    const ms = Date.parse('2029-12-31T23:59:59.999Z');
    await setPost(service, id, { scheduled_at: ms, posted_at: ms, created_at: ms, updated_at: ms });
    const post = await readPost(org, id);
    for (const field of ['scheduled_at', 'posted_at', 'created_at', 'updated_at'] as const) {
      assert.equal(post[field], '2029-12-31T23:59:59Z');
      assert.match(post[field], TIMESTAMP);
    }
  });

  it('shows the retries and the last error of publishing', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const left = { publish_retries: 3, last_publish_error: 'The platform refused the post (spam_risk)' };
    await setPost(service, id, left);
    const { publish_retries, last_publish_error } = await readPost(org, id);
    assert.deepEqual({ publish_retries, last_publish_error }, left);
  });

  it('takes the id in capitals', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.equal((await readPost(org, id.toUpperCase())).id, id);
  });

  it('refuses any query parameter, and names it', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assertRefused(await org.call('GET', `/api/v1/posts/${id}?fields=id`), 'fields');
  });

  it('answers 404 for an unknown id and for an id that is not a UUID', async () => {
    const org = await service.newOrganization();
    for (const id of [UNKNOWN_ID, 'x', '1', `${UNKNOWN_ID}0`, `{${UNKNOWN_ID}}`, '%00', "'", 'null'])
      assertProblem(await org.call('GET', `/api/v1/posts/${id}`), 404, 'not_found');
  });

  it('answers another organization as for an unknown id, byte for byte except the request id', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const foreign = await other.addPost();
    for (const [method, body] of [['GET'], ['PATCH', { title: 'Mine now' }], ['DELETE']] as const) {
      const answers = await Promise.all(
        [foreign, UNKNOWN_ID, 'malformed'].map((id) => org.call(method, `/api/v1/posts/${id}`, body)),
      );
      for (const answer of answers) assertProblem(answer, 404, 'not_found');
      const [first, ...others] = answers.map(withoutRequestId);
      for (const text of others) assert.equal(text, first);
    }
    assert.equal((await readPost(other, foreign)).title, 'A post');
  });
});

function withoutRequestId({ text, json }: Answer): string {
  assert.ok(json.request_id);
  return text.replace(json.request_id, '');
}

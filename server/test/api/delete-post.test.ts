import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NotFound } from '@airdate/sdk';
import { recount } from '../../src/db/recount.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  analyticsOf,
  assertProblem,
  assertRefused,
  listIds,
  readPost,
  UNKNOWN_ID,
} from '../support/service/posts.js';

onEngines('sqlite', 'DELETE /api/v1/posts/{id}', (engine) => {
  const service = useService(engine);

  for (const status of ['draft', 'archived'] as const)
    it(`removes a post that is ${status}, with 204 and no body`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, status);
      const answer = await org.call('DELETE', `/api/v1/posts/${id}`);
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assertProblem(await org.call('GET', `/api/v1/posts/${id}`), 404, 'not_found');
    });

  for (const status of ['scheduled', 'publishing', 'posted'] as const)
    it(`refuses with 409 to remove a post that is ${status}, and leaves it as it was`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, status);
      const before = await readPost(org, id);
      assertProblem(await org.call('DELETE', `/api/v1/posts/${id}`), 409, 'wrong_state');
      assert.deepEqual(await readPost(org, id), before);
    });

  it('works through the client', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.equal(await org.sdk.posts.delete(id), undefined);
    await assert.rejects(org.sdk.posts.get(id), NotFound);
  });

  it('takes the post out of lists and counts, and only this one', async () => {
    const org = await service.newOrganization();
    const [kept, gone] = [await org.addPost(), await org.addPost()];
    await org.call('DELETE', `/api/v1/posts/${gone}`);
    assert.deepEqual(await listIds(org), [kept]);
    assert.equal((await analyticsOf(org)).total_posts, 1);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('answers 404 the second time', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    assertProblem(await org.call('DELETE', `/api/v1/posts/${id}`), 404, 'not_found');
  });

  it('removes once when many requests come at the same time', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => org.call('DELETE', `/api/v1/posts/${id}`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(7).fill(404)]);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('accepts a request with a JSON content type and no body', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const headers = { 'content-type': 'application/json' };
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`, undefined, headers)).status, 204);
  });

  it('refuses any query parameter, and names it', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assertRefused(await org.call('DELETE', `/api/v1/posts/${id}?dry_run=true`), 'dry_run');
    assert.equal((await readPost(org, id)).id, id);
  });

  it('answers 404 for an unknown id, and never touches the post of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const foreign = await other.addPost();
    for (const id of [UNKNOWN_ID, 'malformed', foreign])
      assertProblem(await org.call('DELETE', `/api/v1/posts/${id}`), 404, 'not_found');
    assert.equal((await readPost(other, foreign)).id, foreign);
  });
});

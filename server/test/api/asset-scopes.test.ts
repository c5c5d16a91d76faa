import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem, changePost, slot } from '../support/service/posts.js';
import { complete, grant, listKeys, media, put, upload } from '../support/service/uploads.js';

onEngines('sqlite', 'The scopes of files', (engine) => {
  const service = useService(engine);

  /** Everything a key can do to the files of a post; `replace` only to a video. */
  function changes(id: string, keys: string[]): [method: string, path: string, body?: unknown][] {
    const path = `/api/v1/posts/${id}/assets`;
    return [
      ['POST', path, { filename: 'a.png', content_type: 'image/png' }],
      ['PATCH', path, { order: keys.toReversed() }],
      ['DELETE', `${path}?object_key=${encodeURIComponent(keys[0] as string)}`],
    ];
  }

  async function tryAll(org: Organization, id: string, keys: string[], scopes: string[]) {
    const key = await org.keyWith(scopes);
    const answers = [];
    for (const [method, path, body] of changes(id, keys))
      answers.push(await service.request(method, path, { key, body }));
    return answers;
  }

  async function carousel(org: Organization): Promise<{ id: string; keys: string[] }> {
    const id = await org.addPost();
    for (const name of ['slide.png', 'slide.jpg']) await upload(org, id, name);
    return { id, keys: await listKeys(org, id) };
  }

  it('of a scheduled post require posts:publish: without it no upload is granted, and nothing is reordered or removed', async () => {
    const org = await service.newOrganization();
    const { id, keys } = await carousel(org);
    await changePost(org, id, await slot(service, org));
    for (const answer of await tryAll(org, id, keys, ['posts:write'])) {
      assertProblem(answer, 403, 'insufficient_scope');
      assert.match(
        answer.json.detail,
        /^Changing the files of a scheduled post needs the scope posts:publish\. /,
      );
    }
    assert.deepEqual(await listKeys(org, id), keys);
    const answers = await tryAll(org, id, keys, ['posts:write', 'posts:publish']);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 204],
    );
  });

  it('of a draft require posts:write', async () => {
    const org = await service.newOrganization();
    const { id, keys } = await carousel(org);
    const answers = await tryAll(org, id, keys, ['posts:write']);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 204],
    );
  });

  it('keep the video of a scheduled post from being replaced by a key that may only write', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    await upload(org, id, 'tiny.mp4');
    await changePost(org, id, await slot(service, org));
    const body = { filename: 'b.mp4', content_type: 'video/mp4', replace: true };
    const key = await org.keyWith(['posts:write']);
    const answer = await service.request('POST', `/api/v1/posts/${id}/assets`, { key, body });
    assertProblem(answer, 403, 'insufficient_scope');
  });

  it('accept an upload granted to a caller that may publish while the post was a draft, after the post is scheduled', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id);
    await changePost(org, id, await slot(service, org));
    const { status } = await put(granted.upload_url, media('slide.png'), 'image/png');
    assert.equal(status, 200);
    const key = await org.keyWith(['posts:write']);
    const path = `/api/v1/posts/${id}/assets/complete`;
    const body = { object_key: granted.object_key };
    assert.equal((await service.request('POST', path, { key, body })).status, 200);
    assert.equal((await complete(org, id, granted.object_key)).status, 200);
    assert.deepEqual(await listKeys(org, id), [granted.object_key]);
  });

  it('refuse an upload granted to a key without posts:publish for a draft, once the post is scheduled', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    const { object_key } = await upload(org, id, 'tiny.mp4');
    const key = await org.keyWith(['posts:write']);
    const ask = { filename: 'b.mp4', content_type: 'video/mp4', replace: true };
    const granted = await service.request('POST', `/api/v1/posts/${id}/assets`, { key, body: ask });
    await changePost(org, id, await slot(service, org));
    const answer = await put(granted.json.upload_url, media('tiny.mp4'), 'video/mp4');
    assertProblem(answer, 422, 'media_rejected');
    assert.match(answer.json.detail, /needs the scope posts:publish/);
    assert.deepEqual(await listKeys(org, id), [object_key]);
  });
});

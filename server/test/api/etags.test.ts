// ETags of posts and lists, and If-None-Match: what has not changed is not sent again.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { aPost, get, ifNoneMatch, POSTS, tagOf } from '../support/service/etags.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { UNKNOWN_ID } from '../support/service/posts.js';

/** Headers of a single response or connection, or of the body. */
const OF_ONE_RESPONSE = [
  'date',
  'x-request-id',
  'connection',
  'keep-alive',
  'content-type',
  'content-length',
];

onEngines('sqlite', 'A strong ETag', (engine) => {
  const service = useService(engine);

  it('comes with a post, and POST and PATCH answer with it', async () => {
    const org = await service.newOrganization();
    const created = await org.call('POST', POSTS, { title: 'A post' });
    const path = created.headers.get('location') as string;
    assert.equal(tagOf(created), tagOf(await get(org, path)));
    const patched = await org.call('PATCH', path, { title: 'Changed' });
    assert.equal(tagOf(patched), tagOf(await get(org, path)));
    assert.notEqual(tagOf(patched), tagOf(created));
  });

  it('comes with lists, from a hash of the bytes', async () => {
    const org = await service.newOrganization();
    const { path } = await aPost(org);
    const first = await get(org, POSTS);
    assert.equal(tagOf(first), tagOf(await get(org, POSTS)));
    assert.equal(tagOf(first), tagOf(await get(org, `${POSTS}?status=draft`)), 'the same bytes');
    assert.notEqual(tagOf(first), tagOf(await get(org, `${POSTS}?status=posted`)));
    await org.call('PATCH', path, { title: 'Changed' });
    assert.notEqual(tagOf(first), tagOf(await get(org, POSTS)));
  });

  it('comes with every other list too', async () => {
    const org = await service.newOrganization();
    const { path } = await aPost(org);
    const lists = ['dispatches', 'social-accounts', 'keys', 'members', 'invitations'].map(
      (name) => `/api/v1/${name}`,
    );
    for (const list of [...lists, `${path}/dispatches`, `${path}/assets`]) {
      const answer = await get(org, list);
      assert.equal((await get(org, list, ifNoneMatch(tagOf(answer)))).status, 304, list);
    }
    const organizations = await service.request('GET', '/api/admin/v1/organizations', { key: ADMIN_TOKEN });
    assert.ok(tagOf(organizations));
  });

  it('comes neither with a post nor with a list that includes more', async () => {
    const org = await service.newOrganization();
    const { path, tag } = await aPost(org);
    for (const url of [`${path}?include=cover`, `${POSTS}?include=cover`]) {
      const answer = await get(org, url, ifNoneMatch('*'));
      assert.deepEqual([answer.status, answer.headers.get('etag')], [200, null], url);
    }
    assert.equal((await get(org, `${path}?include=cover`, ifNoneMatch(tag))).status, 200);
  });

  it('comes with no problem', async () => {
    const org = await service.newOrganization();
    for (const answer of [
      await get(org, `${POSTS}/${UNKNOWN_ID}`, ifNoneMatch('*')),
      await get(org, `${POSTS}?page=0`, ifNoneMatch('*')),
      await service.request('GET', POSTS, { headers: ifNoneMatch('*') }),
    ]) {
      assert.ok(answer.status >= 400);
      assert.equal(answer.headers.get('etag'), null);
    }
  });
});

onEngines('sqlite', 'If-None-Match', (engine) => {
  const service = useService(engine, { env: { CORS_ORIGINS: 'https://friend.example' } });

  it('is answered with 304 and no body while nothing has changed, and in full afterwards', async () => {
    const org = await service.newOrganization();
    const { path } = await aPost(org);
    for (const url of [path, POSTS]) {
      const tag = tagOf(await get(org, url));
      const same = await get(org, url, ifNoneMatch(tag));
      assert.deepEqual([same.status, same.text, tagOf(same)], [304, '', tag], url);
      await org.call('PATCH', path, { title: `Changed for ${url}` });
      const other = await get(org, url, ifNoneMatch(tag));
      assert.equal(other.status, 200);
      assert.match(other.text, /Changed for/);
      assert.notEqual(tagOf(other), tag);
    }
  });

  it('takes a list and *, and compares weakly', async () => {
    const org = await service.newOrganization();
    const { path, tag } = await aPost(org);
    const cases: [string, number][] = [
      ['*', 304],
      [`W/${tag}`, 304],
      [`"other", ${tag}`, 304],
      [`"a,b" ,W/${tag},"c"`, 304],
      ['"other"', 200],
      [tag.slice(1, -1), 200],
      ['not a tag', 200],
      [`"unclosed, ${tag}`, 200],
    ];
    for (const [header, status] of cases)
      assert.equal((await get(org, path, ifNoneMatch(header))).status, status, header);
  });

  it('answers 304 with the headers of the full response, for keys, sessions and HEAD', async () => {
    const org = await service.newOrganization();
    const { path, tag } = await aPost(org);
    const { browser } = await newPerson(service, org.id, 'viewer');
    assert.equal((await browser.call('GET', path, undefined, ifNoneMatch(tag))).status, 304);
    const origin = { origin: 'https://friend.example' };
    for (const url of [path, POSTS]) {
      const full = await get(org, url, origin);
      for (const method of ['GET', 'HEAD']) {
        const same = await org.call(method, url, undefined, { ...origin, ...ifNoneMatch(tagOf(full)) });
        assert.deepEqual([same.status, same.text], [304, ''], `${method} ${url}`);
        for (const [name, value] of full.headers)
          if (!OF_ONE_RESPONSE.includes(name))
            assert.equal(same.headers.get(name), value, `${name} of ${method} ${url}`);
        const length = same.headers.get('content-length');
        assert.ok(length === null || length === full.headers.get('content-length'), `length ${length}`);
      }
      const head = await org.call('HEAD', url);
      assert.equal(tagOf(head), tagOf(full));
    }
  });

  it('is looked at only after the caller was admitted', async () => {
    const org = await service.newOrganization();
    const other = await service.newOrganization();
    const { path, tag } = await aPost(org);
    const key = await org.keyWith(['analytics:read']);
    assert.equal((await service.request('GET', path, { headers: ifNoneMatch(tag) })).status, 401);
    assert.equal((await service.request('GET', path, { key, headers: ifNoneMatch(tag) })).status, 403);
    assert.equal((await get(other, path, ifNoneMatch(tag))).status, 404);
    assert.equal((await get(other, path, ifNoneMatch('*'))).status, 404);
  });

  it('is allowed to other origins, with If-Match, and ETag is exposed to them', async () => {
    const preflight = await service.request('OPTIONS', POSTS, {
      headers: { origin: 'https://friend.example', 'access-control-request-method': 'PATCH' },
    });
    const names = (name: string) => (preflight.headers.get(name) ?? '').toLowerCase().split(/, */);
    for (const name of ['if-match', 'if-none-match'])
      assert.ok(names('access-control-allow-headers').includes(name), name);
    assert.ok(names('access-control-expose-headers').includes('etag'));
  });
});

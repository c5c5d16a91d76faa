import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withEtagCache } from './etag-cache.js';

/** An API with one text for every URL, and the If-None-Match of each request. */
function anApi() {
  const asked: (string | null)[] = [];
  const api = { text: 'one', status: 200, hasTag: true, asked };
  const fetch = withEtagCache(async (request) => {
    const tag = request.headers.get('if-none-match');
    asked.push(tag);
    const etag = `"${api.text}"`;
    const headers: Record<string, string> = api.hasTag ? { etag } : {};
    if (api.status !== 200) return new Response('{}', { status: api.status });
    return tag === etag ? new Response(null, { status: 304, headers }) : new Response(api.text, { headers });
  });
  const get = async (path: string) => {
    const answer = await fetch(new Request(`http://localhost${path}`));
    return [answer.status, await answer.text(), answer.headers.get('etag')];
  };
  return { api, fetch, get };
}

describe('a fetch with known answers', () => {
  it('answers 304 with what it read before, and with the new text when there is one', async () => {
    const { api, get } = anApi();
    assert.deepEqual(await get('/a'), [200, 'one', '"one"']);
    assert.deepEqual(await get('/a'), [200, 'one', '"one"']);
    api.text = 'two';
    assert.deepEqual(await get('/a'), [200, 'two', '"two"']);
    assert.deepEqual(await get('/a'), [200, 'two', '"two"']);
    assert.deepEqual(api.asked, [null, '"one"', '"one"', '"two"']);
  });

  it('keeps URLs apart, and forgets one that is refused or has no ETag any more', async () => {
    const { api, get } = anApi();
    await get('/a');
    await get('/b');
    api.status = 404;
    assert.deepEqual((await get('/a'))[0], 404);
    api.status = 200;
    api.hasTag = false;
    api.text = 'two';
    await get('/b');
    await get('/a');
    await get('/b');
    assert.deepEqual(api.asked, [null, null, '"one"', '"one"', null, null]);
  });

  it('leaves writes alone', async () => {
    const { api, fetch } = anApi();
    for (const _ of [1, 2]) await fetch(new Request('http://localhost/a', { method: 'DELETE' }));
    assert.deepEqual(api.asked, [null, null]);
  });

  it('remembers the 50 that were asked for last', async () => {
    const { api, get } = anApi();
    for (let n = 0; n < 51; n++) await get(`/${n}`);
    await get('/1');
    await get('/0');
    assert.deepEqual(api.asked.slice(-2), ['"one"', null]);
  });
});

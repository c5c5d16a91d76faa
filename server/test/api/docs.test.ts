// The documentation as the service serves it: pages, Markdown, files for language models, and the console.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PROBLEMS } from '../../src/core/problems.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';

const VISIT = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

onEngines('sqlite', 'the documentation', (engine) => {
  const service = useService(engine);
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.request('GET', path, { headers });
  const typeOf = ({ headers }: { headers: Headers }) => headers.get('content-type') ?? '';

  it('GET /docs/<page>: a page that may run only our own scripts and styles', async () => {
    for (const path of ['/docs', '/docs/', '/docs/quick-start', '/docs/api/posts', '/docs/errors/no_media']) {
      const page = await get(path, VISIT);
      assert.equal(page.status, 200, path);
      assert.match(typeOf(page), /^text\/html/, path);
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/, path);
      assert.doesNotMatch(policy, /unsafe/, path);
      assert.match(page.text, /<form role="search"/, path);
    }
  });

  it('GET /docs/<page>.md: the page as Markdown, and so without the ending for clients that ask for it', async () => {
    const asked = [
      await get('/docs/quick-start.md'),
      await get('/docs/quick-start', { accept: 'text/markdown' }),
    ];
    for (const page of asked) {
      assert.equal(page.status, 200);
      assert.match(typeOf(page), /^text\/markdown/);
      assert.match(page.text, /^# Quick start\n/);
    }
    assert.match((await get('/docs/index.md')).text, /\]\(\/docs\/uploads\.md\)/);
  });

  it('GET /docs/api/<tag>: samples that name this installation, compressed, and only if they have changed', async () => {
    for (const path of ['/docs/api/labels', '/docs/api/labels.md', '/llms-full.txt']) {
      const page = await get(path, path.includes('.') ? {} : VISIT);
      assert.equal(page.status, 200, path);
      assert.ok(page.text.includes(`${service.app.urls.publicUrl}/api/v1/labels`), path);
      assert.doesNotMatch(page.text, /airdate\.invalid/, path);
      const again = await get(path, {
        ...(path.includes('.') ? {} : VISIT),
        'if-none-match': page.headers.get('etag') ?? '',
      });
      assert.deepEqual([again.status, again.text], [304, ''], path);
    }
    assert.match((await get('/docs/agents.md')).text, new RegExp(`${service.app.urls.publicUrl}/mcp`));
    const packed = await get('/docs/api/labels', { ...VISIT, 'accept-encoding': 'gzip' });
    assert.match(packed.headers.get('vary') ?? '', /Accept.*Accept-Encoding/);
  });

  it('GET /llms.txt: every page, by this installation’s own address, and /llms-full.txt with their text', async () => {
    const list = await get('/llms.txt');
    assert.equal(list.status, 200);
    assert.match(typeOf(list), /^text\/plain/);
    const [first] = [...list.text.matchAll(/\((http[^)]+quick-start\.md)\)/g)].map(
      ([, url]) => url as string,
    );
    assert.equal(first, `${service.app.urls.publicUrl}/docs/quick-start.md`);
    assert.equal((await get(new URL(first as string).pathname)).status, 200);
    assert.match((await get('/llms-full.txt')).text, /^# Airdate\n[\s\S]*# Unknown outcomes\n/);
  });

  it('GET /problems/<code>: its page for browsers, data for programs', async () => {
    for (const code of Object.keys(PROBLEMS)) {
      const page = await get(`/problems/${code}`, VISIT);
      assert.equal(page.status, 200, code);
      assert.match(page.text, new RegExp(`<h1>${code}</h1>[\\s\\S]*What to do:`), code);
    }
    const data = await get('/problems/no_media');
    assert.deepEqual(data.json.data.status, 409);
    assert.match(data.headers.get('vary') ?? '', /Accept/);
    assert.equal((await get('/problems/nothing', VISIT)).status, 404);
  });

  it('GET /docs/<nothing>: 404, with a page for browsers and a problem for programs', async () => {
    const page = await get('/docs/nothing', VISIT);
    assert.equal(page.status, 404);
    assert.match(page.text, /<h1>No such page<\/h1>/);
    const problem = await get('/docs/nothing');
    assert.deepEqual([problem.status, problem.json.code], [404, 'not_found']);
    assert.equal((await get('/docs/assets')).status, 404);
  });

  it('GET /docs/console: every operation, to try out', async () => {
    const page = await get('/docs/console');
    assert.equal(page.status, 200);
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part as string);
    assert.ok(parts.some((part) => part.endsWith('.js')));
    for (const part of parts) {
      const url = new URL(part, `${service.url}/docs/console`);
      assert.equal((await get(url.pathname)).status, 200, part);
    }
  });

  it('GET /docs/console: its forms begin empty, and the key is kept by the tab', async () => {
    const { info, components, paths } = (await get('/docs/console/json')).json;
    const operations = Object.values<Record<string, { parameters?: object[] }>>(paths).flatMap(Object.values);
    const parameters = [
      ...Object.values(components.parameters),
      ...operations.flatMap(({ parameters = [] }) => parameters),
    ];
    const filled = parameters.filter((one) => /"(example|examples|default)":/.test(JSON.stringify(one)));
    assert.ok(parameters.length > 50);
    assert.deepEqual(filled, []);
    for (const { description } of [info, components.securitySchemes.apiKey])
      assert.match(description, /until you close the tab/);
    assert.match((await get('/docs/console/static/swagger-initializer.js')).text, /sessionStorage/);
    // Other programs get the examples.
    assert.match((await get('/openapi.json')).text, /"example/);
  });
});

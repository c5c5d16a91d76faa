import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { PROBLEMS } from '../../src/core/problems.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, useService } from '../support/service/harness.js';
import type { Answer, RequestOptions } from '../support/service/send.js';

const POSTS = '/api/v1/posts';
const JSON_TYPE = { 'content-type': 'application/json' };
const MAX_BODY = 64 * 1024;

/** Checks what all problems have in common, and returns the body. */
function problem(answer: Answer, status: number, code: string) {
  const { json, headers } = answer;
  assert.equal(answer.status, status, answer.text.slice(0, 300));
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(json.status, status);
  assert.equal(json.code, code);
  assert.equal(json.type, `/problems/${code}`);
  assert.ok(json.title.length > 0);
  assert.match(json.detail, /\.$/, 'a sentence for a person');
  assert.equal(json.request_id, headers.get('x-request-id'));
  const known = ['type', 'title', 'status', 'detail', 'code', 'errors', 'request_id'];
  for (const name of Object.keys(json)) assert.ok(known.includes(name), name);
  return json;
}

const pointers = (json: { errors: { pointer: string; message: string }[] }) => {
  for (const { message } of json.errors) assert.ok(message.length > 0);
  return json.errors.map((error) => error.pointer).sort();
};

/** JSON with this raw text as the title. */
const withTitle = (text: string) => `{"title":"${text}"}`;

onEngines('postgres', 'problems', (engine) => {
  const service = useService(engine);
  const send = (org: Organization, raw: RequestOptions['raw'], headers: Record<string, string> = JSON_TYPE) =>
    service.request('POST', POSTS, { key: org.key, ...(raw === undefined ? {} : { raw }), headers });

  it('have a type that is a URL of a page about the code', async () => {
    for (const [code, [status, title]] of Object.entries(PROBLEMS)) {
      const answer = await service.request('GET', `/problems/${code}`);
      assert.equal(answer.status, 200, code);
      assert.deepEqual(answer.json, { data: { code, status, title } });
    }
    for (const code of ['unheard_of', 'constructor', '__proto__', 'toString'])
      problem(await service.request('GET', `/problems/${code}`), 404, 'not_found');
  });

  it('404: no such route', async () => {
    for (const path of ['/nowhere', '/api/v1', '/api/v2/posts', `${POSTS}/a/b/c`, '/api/v1/Posts', '//'])
      problem(await service.request('GET', path), 404, 'not_found');
    problem(await service.request('POST', '/nowhere', { body: { a: 1 } }), 404, 'not_found');
  });

  it('404 with a page: a browser at a URL that does not exist, but never in the API', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const lost = await service.request('GET', '/nowhere?x=1', { headers });
    assert.equal(lost.status, 404);
    assert.match(lost.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(lost.headers.get('content-security-policy') ?? '', /script-src 'self'/);
    for (const path of ['/api/v1/nowhere', '/assets/nothing.js'])
      problem(await service.request('GET', path, { headers }), 404, 'not_found');
    problem(await service.request('POST', '/nowhere', { headers, body: {} }), 404, 'not_found');
  });

  it('404: an unknown or malformed id', async () => {
    const org = await service.newOrganization();
    const ids = [
      'x',
      '00000000-0000-7000-8000-000000000000',
      '..%2f..%2fetc',
      '%00',
      "'%20or%201=1",
      'a'.repeat(499),
    ];
    for (const id of ids)
      for (const method of ['GET', 'PATCH', 'DELETE'])
        problem(
          await org.call(method, `${POSTS}/${id}`, method === 'PATCH' ? {} : undefined),
          404,
          'not_found',
        );
  });

  it('404: a malformed id of any length', async () => {
    const org = await service.newOrganization();
    problem(await org.call('GET', `${POSTS}/${'a'.repeat(5_000)}`), 404, 'not_found');
  });

  it('405: a method not allowed on this route, with Allow', async () => {
    const org = await service.newOrganization();
    for (const [method, path, allowed] of [
      ['PUT', POSTS, ['GET', 'HEAD', 'POST']],
      ['DELETE', POSTS, ['GET', 'HEAD', 'POST']],
      ['POST', `${POSTS}/batch`, ['PATCH']],
      ['PUT', `${POSTS}/019a8b1e-6c00-7000-8000-3f2a9c1d7e55`, ['DELETE', 'GET', 'HEAD', 'PATCH']],
      ['POST', '/api/v1/me', ['GET', 'HEAD']],
      ['PATCH', '/api/v1/keys', ['GET', 'HEAD', 'POST']],
      ['POST', '/healthz', ['GET', 'HEAD']],
    ] as const) {
      const answer = await org.call(method, path, method === 'DELETE' ? undefined : { a: 1 });
      problem(answer, 405, 'method_not_allowed');
      const allow = (answer.headers.get('allow') ?? '').split(/, */).sort();
      for (const name of allowed) assert.ok(allow.includes(name), `${path} allows ${allow}`);
      assert.ok(!allow.includes(method));
    }
  });

  it('415: the body is not JSON', async () => {
    const org = await service.newOrganization();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'json',
    ]) {
      const json = problem(
        await send(org, '{"title":"A"}', { 'content-type': type }),
        415,
        'unsupported_media_type',
      );
      assert.match(json.detail, /application\/json/);
    }
    problem(await send(org, new Uint8Array([123, 125]), {}), 415, 'unsupported_media_type');
  });

  it('accepts JSON with a charset', async () => {
    const org = await service.newOrganization();
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON',
    ])
      assert.equal((await send(org, '{"title":"A"}', { 'content-type': type })).status, 201, type);
  });

  it('413: a JSON body over 64 KB; one of exactly 64 KB is read', async () => {
    const org = await service.newOrganization();
    const padded = (bytes: number) => withTitle('A').padEnd(bytes, ' ');
    assert.equal((await send(org, padded(MAX_BODY))).status, 201);
    problem(await send(org, padded(MAX_BODY + 1)), 413, 'payload_too_large');
    const long = { title: 'x'.repeat(MAX_BODY - 100) };
    const json = problem(await org.call('POST', POSTS, long), 400, 'validation_failed');
    assert.deepEqual(pointers(json), ['/title']);
  });

  it('413: also when the size is not announced', async () => {
    const org = await service.newOrganization();
    const chunk = new TextEncoder().encode(' '.repeat(64 * 1024));
    let sent = 0;
    const body = new ReadableStream({
      pull(stream) {
        if (sent > MAX_BODY) return stream.close();
        sent += chunk.length;
        stream.enqueue(chunk);
      },
    });
    const response = await fetch(service.url + POSTS, {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${org.key}` },
      body,
      duplex: 'half',
    } as RequestInit);
    assert.equal(response.status, 413);
    assert.equal(((await response.json()) as { code: string }).code, 'payload_too_large');
  });

  it('400: malformed JSON', async () => {
    const org = await service.newOrganization();
    const malformed = [
      '{',
      '{"title":"A"',
      '{"title":"A",}',
      "{'title':'A'}",
      '{title:"A"}',
      '{"title":NaN}',
      '{"title":"A"} {}',
      '\u0000',
      withTitle('\n'),
      withTitle('\\x'),
      '[1,]',
      'undefined',
      '   ',
    ];
    for (const text of malformed) problem(await send(org, text), 400, 'malformed_json');
  });

  it('400: a body that is not UTF-8', async () => {
    const org = await service.newOrganization();
    const title = (...bytes: number[]) =>
      new Uint8Array([...Buffer.from('{"title":"'), ...bytes, ...Buffer.from('"}')]);
    for (const bytes of [
      [0xff],
      [0xc3],
      [0xe9, 0x74, 0xe9],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
    ])
      problem(await send(org, title(...bytes)), 400, 'malformed_json');
    const utf16 = new Uint8Array(Buffer.from('{"title":"A"}', 'utf16le'));
    problem(await send(org, utf16), 400, 'malformed_json');
  });

  it('400: no body where one is needed', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const [method, path] of [
      ['POST', POSTS],
      ['PATCH', `${POSTS}/${id}`],
      ['PATCH', `${POSTS}/batch`],
      ['POST', '/api/v1/keys'],
    ] as const)
      for (const headers of [JSON_TYPE, {}]) {
        const answer = await service.request(method, path, { key: org.key, headers });
        const json = problem(answer, 400, 'validation_failed');
        assert.deepEqual(pointers(json), ['']);
      }
  });

  it('a JSON content type with an empty body is fine where no body is needed', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const [method, path, status] of [
      ['GET', POSTS, 200],
      ['GET', `${POSTS}/${id}`, 200],
      ['GET', '/api/v1/me', 200],
      ['DELETE', `${POSTS}/${id}`, 204],
    ] as const) {
      const answer = await service.request(method, path, { key: org.key, headers: JSON_TYPE });
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    }
  });

  it('400: NUL characters and halves of surrogate pairs, anywhere in the body', async () => {
    const org = await service.newOrganization();
    for (const bad of ['\\u0000', '\\ud800', '\\udc00', '\\udc00\\ud800', 'a\\ud83db']) {
      const json = problem(await send(org, withTitle(bad)), 400, 'validation_failed');
      assert.deepEqual(pointers(json), ['/title']);
      problem(await send(org, `{"title":"A","caption":"ok ${bad} ok"}`), 400, 'validation_failed');
      problem(await send(org, `{"title":"A","${bad}":1}`), 400, 'validation_failed');
      problem(await send(org, `{"title":"A","extra":{"deep":["${bad}"]}}`), 400, 'validation_failed');
      problem(await send(org, `"${bad}"`), 400, 'validation_failed');
    }
    assert.equal((await send(org, withTitle('\\ud83c\\udf88 whole pairs are fine'))).status, 201);
  });

  it('400: a misspelt name, with the one that was meant, if there is one', async () => {
    const org = await service.newOrganization();
    const lastError = async (answer: Promise<{ json: { errors: { message: string }[] } }>) =>
      (await answer).json.errors.at(-1)?.message;
    const field = await lastError(org.call('POST', POSTS, { title: 'A', captoin: 'B' }));
    assert.equal(field, 'is not a field of this request (did you mean caption?)');
    const parameter = await lastError(org.call('GET', `${POSTS}?stauts=draft`));
    assert.equal(parameter, 'is not a parameter of this request (did you mean status?)');
  });

  it('400: a name that other APIs, or other requests of this one, have for it', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const [method, path, body, meant] of [
      ['GET', `${POSTS}?limit=5`, undefined, 'parameter of this request (did you mean per_page?)'],
      ['GET', `${POSTS}?page_size=5`, undefined, 'parameter of this request (did you mean per_page?)'],
      ['POST', POSTS, { title: 'A', mode: 'inbox' }, 'field of this request (did you mean publish_mode?)'],
      ['POST', POSTS, { title: 'A', text: 'B' }, 'field of this request (did you mean caption?)'],
      ['POST', POSTS, { title: 'A', privacy: 'B' }, 'field of this request (did you mean privacy_level?)'],
      ['GET', `${POSTS}?account=B`, undefined, 'parameter of this request (did you mean social_account_id?)'],
      [
        'POST',
        `${POSTS}/${id}/publish`,
        { publish_mode: 'inbox' },
        'field of this request (did you mean mode?)',
      ],
    ] as const) {
      const answer = await org.call(method, path, body);
      problem(answer, 400, 'validation_failed');
      const { errors } = answer.json;
      assert.ok(
        errors.some(({ message }: { message: string }) => message === `is not a ${meant}`),
        JSON.stringify(errors),
      );
    }
  });

  it('400: a parameter that is sent twice, with how to send several values', async () => {
    const org = await service.newOrganization();
    for (const [query, message] of [
      ['status=draft&status=posted', 'must be sent once: separate several values with commas'],
      ['q=a&q=b', 'must be sent once'],
    ]) {
      const answer = await org.call('GET', `${POSTS}?${query}`);
      problem(answer, 400, 'validation_failed');
      const { errors } = answer.json;
      assert.equal(errors[0].message, message);
    }
  });

  it('400: a body that is no JSON, with the place of the mistake if the engine names it', async () => {
    const org = await service.newOrganization();
    assert.match(
      (await send(org, '{"title":"A",}')).json.detail,
      /^The body is not valid JSON at character 14\. Check/,
    );
    assert.match((await send(org, '{"title":"A","__proto__":1}')).json.detail, /the key __proto__/);
  });

  it('400: NUL characters in the query, in names and values', async () => {
    const org = await service.newOrganization();
    for (const query of ['q=%00', 'q=a%00b', 'q%00=a', 'status=draft%00', '%00'])
      problem(await org.call('GET', `${POSTS}?${query}`), 400, 'validation_failed');
  });

  it('400: a query that is not properly encoded UTF-8', async () => {
    const org = await service.newOrganization();
    for (const query of ['q=%ED%A0%80', 'q=%FF', 'q=%E9t%E9'])
      assert.equal((await org.call('GET', `${POSTS}?${query}`)).status, 400, query);
  });

  it('400: keys that would pollute prototypes', async () => {
    const org = await service.newOrganization();
    for (const text of [
      '{"title":"A","__proto__":{"caption":"polluted"}}',
      '{"title":"A","\\u005f_proto__":{"caption":"polluted"}}',
      '{"title":"A","constructor":{"prototype":{"caption":"polluted"}}}',
      '{"__proto__":{"title":"A"}}',
      '{"title":"A","constructor":1}',
      '{"title":"A","toString":1}',
    ]) {
      const answer = await send(org, text);
      assert.equal(answer.status, 400, `${text} ${answer.text}`);
      problem(answer, 400, answer.json.code);
    }
    for (const query of ['__proto__=1', '__proto__[page]=1', 'constructor=1', 'toString=1'])
      problem(await org.call('GET', `${POSTS}?${query}`), 400, 'validation_failed');
    assert.equal(({} as Record<string, unknown>).caption, undefined);
  });

  it('400: a body that is nested very deeply', async () => {
    const org = await service.newOrganization();
    const nest = (levels: number) => `{"title":"A","x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const objects = `{"title":"A","x":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;
    for (const text of [nest(30), nest(10_000), nest(32_000), objects]) {
      const answer = await send(org, text);
      problem(answer, 400, answer.json.code);
    }
  });

  it('400: a body of very many values', async () => {
    const org = await service.newOrganization();
    const many = Array.from({ length: 32_000 }, (_, i) => i % 10);
    const fields = Object.fromEntries(Array.from({ length: 5_200 }, (_, i) => [`f${i}`, 1]));
    for (const body of [many, { ids: many, action: 'archive' }, { title: 'A', ...fields }]) {
      const answer = await org.call('POST', POSTS, body);
      problem(answer, 400, answer.json.code);
      assert.ok(answer.text.length < 10_000, 'the response does not grow with the number of errors');
    }
  });

  it('400: a value of the wrong type, which is never coerced', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const isString = [1, 0, true, false, null, ['A'], { a: 'A' }, []];
    for (const value of isString) {
      const json = problem(await org.call('POST', POSTS, { title: value }), 400, 'validation_failed');
      assert.deepEqual(pointers(json), ['/title'], JSON.stringify(value));
    }
    for (const value of ['1', 'true', '', 1, 0, null, [], [true], {}]) {
      const answer = await org.call('PATCH', `${POSTS}/${id}`, { disable_comment: value });
      assert.deepEqual(pointers(problem(answer, 400, 'validation_failed')), ['/disable_comment']);
    }
    for (const value of [1, true, null, ['slides'], 'SLIDES', '']) {
      const answer = await org.call('POST', POSTS, { title: 'A', post_type: value });
      assert.deepEqual(pointers(problem(answer, 400, 'validation_failed')), ['/post_type']);
    }
    for (const value of [id, { 0: id }, null, 1]) {
      const answer = await org.call('PATCH', `${POSTS}/batch`, { ids: value, action: 'archive' });
      assert.deepEqual(pointers(problem(answer, 400, 'validation_failed')), ['/ids']);
    }
    for (const body of [[], [{ title: 'A' }], 'title', 1, true, null]) {
      const answer = await send(org, JSON.stringify(body));
      assert.deepEqual(pointers(problem(answer, 400, 'validation_failed')), ['']);
    }
    const { json } = await org.call('GET', POSTS);
    assert.equal(json.pagination.total, 1);
  });

  it('400: unknown body fields and query parameters, named by a JSON pointer', async () => {
    const org = await service.newOrganization();
    const answer = await org.call('POST', POSTS, { title: 'A', captoin: 'typo', 'a/b~c': 1, '': 1 });
    const json = problem(answer, 400, 'validation_failed');
    assert.deepEqual(pointers(json), ['/', '/a~1b~0c', '/captoin']);
    const query = await org.call('GET', `${POSTS}?pages=1&limit=5`);
    assert.deepEqual(pointers(problem(query, 400, 'validation_failed')), ['/limit', '/pages']);
    const twice = await org.call('GET', `${POSTS}?page=1&page=2`);
    assert.deepEqual(pointers(problem(twice, 400, 'validation_failed')), ['/page']);
  });

  it('400: several errors are reported at once, one entry per field', async () => {
    const org = await service.newOrganization();
    const body = {
      title: '',
      post_type: 'reel',
      caption: 'x'.repeat(2201),
      hashtags: 5,
      social_account_id: 'none',
      extra: true,
    };
    const json = problem(await org.call('POST', POSTS, body), 400, 'validation_failed');
    assert.deepEqual(pointers(json), [
      '/caption',
      '/extra',
      '/hashtags',
      '/post_type',
      '/social_account_id',
      '/title',
    ]);
  });

  it('400: a field that breaks two rules is one entry', async () => {
    const body = { name: 'n', plan: 'growth', trial_days: -1.5 };
    const answer = await service.request('POST', '/api/admin/v1/organizations', {
      key: ADMIN_TOKEN,
      body,
    });
    assert.deepEqual(pointers(problem(answer, 400, 'validation_failed')), ['/trial_days']);
  });

  it('400: a URL that is not properly encoded', async () => {
    for (const path of [`${POSTS}/%zz`, '/%E0%A4%A', '/%'])
      problem(await service.request('GET', path), 400, 'bad_request');
  });

  it('401, 403 and 422 come in the same form', async () => {
    const org = await service.newOrganization({ plan: 'starter', trial_days: 0 });
    problem(await service.request('GET', POSTS), 401, 'unauthorized');
    problem(await org.call('GET', '/api/v1/analytics'), 403, 'plan_required');
    const key = { 'idempotency-key': 'once' };
    await org.call('POST', POSTS, { title: 'A' }, key);
    problem(await org.call('POST', POSTS, { title: 'B' }, key), 422, 'idempotency_key_reused');
  });

  it('409 comes in the same form', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await org.call('PATCH', `${POSTS}/batch`, { ids: [id], action: 'archive' });
    problem(await org.call('PATCH', `${POSTS}/${id}`, { title: 'B' }), 409, 'wrong_state');
  });

  it('bytes that are not HTTP, and requests with too many headers, are answered in the same form', async () => {
    for (const [text, status, code] of [
      ['HELLO\r\n\r\n', 400, 'bad_request'],
      ['GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n', 400, 'bad_request'],
      [
        `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
        431,
        'header_fields_too_large',
      ],
    ] as const) {
      const answer = await raw(service.url, text);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(head, /content-type: application\/problem\+json/i);
      const json = JSON.parse(body);
      assert.equal(json.code, code);
      assert.equal(json.type, `/problems/${code}`);
      assert.equal(json.status, status);
      assert.ok(json.title && json.detail);
      assert.equal(typeof json.request_id, 'string');
    }
  });
});

/** The whole response to these bytes until the server closes. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', (error) => (answer ? resolve(answer) : reject(error)));
    socket.on('close', () => resolve(answer));
  });
}

onEngines('sqlite', 'an internal error', (engine) => {
  const service = useService(engine);
  const INTERNAL =
    /sql|relation|table|column|select|insert|constraint|kysely|libsql|postgres|node_modules|\.js\b|\bat \w+.*:\d+|Error:/i;

  it('is 500 with nothing internal in it', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await service.app.db.withMigrationLock((_tx, run) => run('alter table posts rename to lost'));
    for (const [method, path, body] of [
      ['GET', `${POSTS}/${id}`, undefined],
      ['GET', `${POSTS}?q=post`, undefined],
      ['POST', POSTS, { title: 'A secret plan' }],
      ['PATCH', `${POSTS}/${id}`, { title: 'A secret plan' }],
      ['PATCH', `${POSTS}/batch`, { ids: [id], action: 'archive' }],
      ['DELETE', `${POSTS}/${id}`, undefined],
    ] as const) {
      const answer = await org.call(method, path, body, method === 'POST' ? { 'idempotency-key': 'k' } : {});
      const json = problem(answer, 500, 'internal_error');
      assert.doesNotMatch(answer.text.replace('/problems/internal_error', ''), INTERNAL, path);
      assert.ok(!answer.text.includes('secret'));
      assert.equal(json.errors, undefined);
    }
    assert.equal((await org.call('GET', '/api/v1/keys')).status, 200, 'the rest goes on');
  });
});

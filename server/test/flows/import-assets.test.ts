import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { createFetches } from '../../src/assets/fetch/fetch.js';
import { acquireSource, handOver, sourceLease } from '../../src/assets/fetch/queue.js';
import type { Runner } from '../../src/work/runner.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, useService } from '../support/service/harness.js';
import { fileOf, imported } from '../support/service/import-files.js';
import { assertProblem } from '../support/service/posts.js';
import { media, storedFor, WITHOUT_WORKER } from '../support/service/uploads.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

onEngines('sqlite', 'files by address', (engine) => {
  const service = useService(engine, {
    ...WITHOUT_WORKER,
    env: { ...WITHOUT_WORKER.env, WEBHOOK_ALLOW: '127.0.0.0/8' },
  });
  const paths = new Map<string, Handler>();
  const asked: string[] = [];
  let server: Server;
  let origin: string;
  let fetches: Runner;
  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const handle = paths.get(request.url ?? '');
      if (handle) handle(request, response);
      else response.writeHead(404).end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    fetches = createFetches(service.app);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const serve = (path: string, handle: Handler | string): string => {
    paths.set(
      path,
      typeof handle === 'string' ? (_request, response) => void response.end(media(handle)) : handle,
    );
    return origin + path;
  };
  const ask = (org: Organization, post: string, body: object) =>
    org.call('POST', `/api/v1/posts/${post}/assets/import`, body);
  const listOf = async (org: Organization, post: string) =>
    (await org.call('GET', `/api/v1/posts/${post}/assets`)).json as {
      data: { filename: string; content_type: string; object_key: string; size: number }[];
      pending: { filename: string; object_key: string }[];
      rejected: { filename: string; reason: string }[];
    };
  const fetchAll = async () => {
    for (;;) {
      await fetches.startDue();
      const due = service.app.db.read
        .selectFrom('asset_sources')
        .select('asset_id')
        .where('fetch_at', '<=', service.clock.now());
      await fetches.idle();
      if (!(await due.executeTakeFirst())) return;
    }
  };
  const sourcesOf = (org: Organization) =>
    service.app.db.read.selectFrom('asset_sources').selectAll().where('org_id', '=', org.id).execute();
  async function rejection(org: Organization, post: string, url: string): Promise<string> {
    assert.equal((await ask(org, post, { url })).status, 202);
    await fetchAll();
    const { rejected, pending } = await listOf(org, post);
    assert.deepEqual(pending, []);
    assert.deepEqual(await sourcesOf(org), []);
    assert.deepEqual(await storedFor(service, org), []);
    return rejected[0]?.reason ?? '';
  }

  it('are pending until the worker has fetched them, and ready afterwards', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    const url = serve('/pictures/small%20cover.png?signature=secret', 'slide.png');
    const answer = await ask(org, post, { url });
    assert.equal(answer.status, 202, answer.text);
    const before = await listOf(org, post);
    assert.deepEqual([before.data, before.pending], [[], [answer.json.data]]);
    assert.equal(answer.json.data.filename, 'small cover.png');
    assert.doesNotMatch(JSON.stringify(await sourcesOf(org)), /signature/);
    await fetchAll();
    const { data, pending, rejected } = await listOf(org, post);
    assert.deepEqual([pending, rejected], [[], []]);
    assert.deepEqual(
      data.map(({ filename, object_key, size }) => [filename, object_key, size]),
      [['small cover.png', answer.json.data.object_key, media('slide.png').length]],
    );
    assert.deepEqual(await sourcesOf(org), []);
  });

  it('have the type of their bytes, whatever the name says', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    await ask(org, post, { url: serve('/as.jpg', 'slide.png') });
    await ask(org, post, { url: serve('/unnamed', 'slide.jpg'), filename: 'Front' });
    await fetchAll();
    const { data } = await listOf(org, post);
    assert.deepEqual(
      data.map(({ filename, content_type, object_key }) => [
        filename,
        content_type,
        object_key.split('.').at(-1),
      ]),
      [
        ['as.jpg', 'image/png', 'png'],
        ['Front', 'image/jpeg', 'jpg'],
      ],
    );
  });

  it('are refused with the reason, and nothing of them is kept', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    const dismiss = async () => {
      for (const row of await service.app.db.read
        .selectFrom('assets')
        .selectAll()
        .where('org_id', '=', org.id)
        .execute())
        await org.call('DELETE', `/api/v1/posts/${post}/assets?object_key=${row.object_key}`);
    };
    const cases: [Handler | string, RegExp][] = [
      ['tiny.mp4', /video\/mp4. A slide must be image\/png or image\/jpeg/],
      [(_request, response) => void response.end('<html>hello</html>'), /no picture or video/],
      [(_request, response) => void response.end(), /no picture or video/],
      [(_request, response) => void response.writeHead(403).end(), /answered 403/],
      [(_request, response) => void response.writeHead(302, { location: '/x' }).end(), /redirects \(302\)/],
      [
        (_request, response) => void response.writeHead(200, { 'content-length': 30_000_000 }).flushHeaders(),
        /larger than 20 MB/,
      ],
      [
        (_request, response) =>
          void response.end(Buffer.concat([media('slide.png').subarray(0, 60), Buffer.alloc(500)])),
        /./,
      ],
    ];
    for (const [i, [handle, reason]] of cases.entries()) {
      assert.match(await rejection(org, post, serve(`/bad/${i}`, handle)), reason);
      await dismiss();
    }
  });

  it('are cut off if they never end', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    let sent = 0;
    const url = serve('/endless', (_request, response) => {
      response.write(media('slide.png'));
      const more = () => {
        while (!response.destroyed) {
          sent += 1 << 20;
          if (!response.write(Buffer.alloc(1 << 20))) break;
        }
      };
      response.on('drain', more);
      more();
    });
    assert.match(await rejection(org, post, url), /larger than 20 MB/);
    assert.ok(sent < 64 << 20, `${sent} bytes were sent`);
  });

  it('are tried three times, with pauses', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    let tries = 0;
    const url = serve('/flaky.png', (_request, response) => {
      if (++tries < 3) response.writeHead(503).end();
      else response.end(media('slide.png'));
    });
    const broken = serve('/broken.png', (_request, response) => {
      response.writeHead(200, { 'content-length': 5000 });
      response.write(media('slide.png').subarray(0, 100), () => response.destroy());
    });
    await ask(org, post, { url });
    await ask(org, post, { url: broken });
    await fetchAll();
    assert.equal(tries, 1);
    assert.equal((await listOf(org, post)).pending.length, 2);
    service.clock.advance(10_000);
    await fetchAll();
    service.clock.advance(60_000);
    await fetchAll();
    const { data, pending, rejected } = await listOf(org, post);
    assert.deepEqual([tries, asked.filter((path) => path === '/broken.png').length], [3, 3]);
    assert.deepEqual([data.length, pending.length], [1, 0]);
    assert.deepEqual(
      rejected.map(({ reason }) => reason),
      ['The connection to the address broke before the file was complete.'],
    );
    assert.equal((await storedFor(service, org)).filter((key) => key.startsWith('uploads/')).length, 0);
    service.clock.resume();
  });

  it('are never fetched from a private address', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    // The guard has its own tests, with every notation; here 127.0.0.0/8 is allowed.
    for (const host of ['10.0.0.1', '0xa9fea9fe', '192.168.1.1', '[::1]', '[fd00::1]', 'localhost'])
      assertProblem(await ask(org, post, { url: `https://${host}/a.png` }), 400, 'validation_failed');
    assertProblem(await ask(org, post, { url: 'http://example.com/a.png' }), 400, 'validation_failed');
    assertProblem(await ask(org, post, { url: 'not a url' }), 400, 'validation_failed');
    assert.deepEqual((await listOf(org, post)).pending, []);
  });

  it('hold the place of the one video, and replace it in one step', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost({ post_type: 'video' });
    const url = serve('/clip', 'tiny.mp4');
    assert.equal((await ask(org, post, { url })).status, 202);
    assertProblem(await ask(org, post, { url }), 409, 'video_exists');
    assert.equal((await ask(org, post, { url, replace: true, filename: 'second' })).status, 202);
    await fetchAll();
    const { data, pending } = await listOf(org, post);
    assert.deepEqual([data.map(({ filename }) => filename), pending], [['second'], []]);
    assertProblem(await ask(org, post, { url }), 409, 'video_exists');
  });

  it('are given up when they are removed before they arrive', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    const held: ServerResponse[] = [];
    const url = serve('/slow.png', (_request, response) => {
      response.write(media('slide.png').subarray(0, 50));
      held.push(response);
    });
    const { json } = await ask(org, post, { url });
    await fetches.startDue();
    while (held.length === 0) await new Promise(setImmediate);
    const key = json.data.object_key as string;
    assert.equal((await org.call('DELETE', `/api/v1/posts/${post}/assets?object_key=${key}`)).status, 204);
    held[0]?.end(media('slide.png').subarray(50));
    await fetches.idle();
    const { data, pending, rejected } = await listOf(org, post);
    assert.deepEqual([data, pending, rejected, await sourcesOf(org)], [[], [], [], []]);
    assert.deepEqual(await storedFor(service, org), []);
  });

  it('are not held by a late heartbeat of a worker that has handed them over', async () => {
    const { app } = service;
    const org = await service.newOrganization();
    await ask(org, await org.addPost(), { url: serve('/late.png', 'slide.png') });
    const [seen] = await sourcesOf(org);
    assert.ok(seen);
    const first = await acquireSource(app, seen);
    assert.ok(first && (await handOver(app, first, app.clock.now())));
    const [handed] = await sourcesOf(org);
    const second = await acquireSource(app, handed ?? seen);
    assert.ok(second && second.fence > first.fence);
    const until = app.clock.now() + 600_000;
    assert.equal(await app.db.transact((tx) => sourceLease.renew(tx, first, until)), false);
    await handOver(app, second, app.clock.now());
    await fetchAll();
  });

  it('are handed over by a worker that stops, and taken over from one that was killed', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    const held: ServerResponse[] = [];
    const url = serve('/later.png', (_request, response) => {
      if (held.push(response) > 2) response.end(media('slide.png'));
      else response.write(media('slide.png').subarray(0, 50));
    });
    await ask(org, post, { url });
    const first = createFetches(service.app);
    await first.startDue();
    while (held.length === 0) await new Promise(setImmediate);
    await first.stop();
    assert.deepEqual(
      (await sourcesOf(org)).map(({ tries }) => tries),
      [0],
    );
    // Killed: its lease ends without a word.
    const second = createFetches(service.app);
    await second.startDue();
    while (held.length === 1) await new Promise(setImmediate);
    await fetches.startDue();
    await fetches.idle();
    assert.equal(held.length, 2);
    service.clock.advance(61_000);
    await fetchAll();
    assert.deepEqual([held.length, (await listOf(org, post)).data.length], [3, 1]);
    held[1]?.destroy();
    await second.idle();
    assert.equal((await listOf(org, post)).data.length, 1);
    service.clock.resume();
  });

  it('count in the quota of bytes', async () => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    const url = serve('/counted.png', 'slide.png');
    const limit = (bytes: number) =>
      service.request('PATCH', `/api/admin/v1/organizations/${org.id}`, {
        key: ADMIN_TOKEN,
        body: { quotas: { bytes } },
      });
    assert.equal((await limit(media('slide.png').length - 1)).status, 200);
    assert.match(await rejection(org, post, url), /bytes|storage|quota/i);
  });

  it('come with the lines of an import', async () => {
    const org = await service.newOrganization();
    const [one, two] = [serve('/one.png', 'slide.png'), serve('/two.jpg', 'slide.jpg')];
    const { ids, media: files } = await imported(
      org,
      fileOf([
        { title: 'Slides', media_urls: `${one}\n${two}` },
        { title: 'Video', post_type: 'video', media_urls: serve('/film.mp4', 'tiny.mp4') },
        { title: 'None', media_urls: '' },
      ]),
    );
    assert.equal(files, 3);
    assert.deepEqual(
      (await listOf(org, ids[0] ?? '')).pending.map(({ filename }) => filename),
      ['one.png', 'two.jpg'],
    );
    await fetchAll();
    const names = async (id = '') => (await listOf(org, id)).data.map(({ filename }) => filename);
    assert.deepEqual(
      [await names(ids[0]), await names(ids[1]), await names(ids[2])],
      [['one.png', 'two.jpg'], ['film.mp4'], []],
    );
  });
});

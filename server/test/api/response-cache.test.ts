import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { openApp } from '../../src/open-app.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { changePost } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const LIST = '/api/v1/posts?per_page=5';

onEngines('both', 'A plain read of posts', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const isKept = engine === 'sqlite';

  async function withPosts() {
    const org = await service.newOrganization();
    const ids = [await org.addPost({ title: 'One' }), await org.addPost({ title: 'Two' })] as const;
    return { org, ids, paths: [LIST, `/api/v1/posts/${ids[0]}`] };
  }

  /** The response, and how often the posts were read for it. */
  async function read(org: Organization, path: string) {
    const sent: Statement[] = [];
    const stop = statementsOf(engine, sent);
    const answer = await org.call('GET', path).finally(stop);
    assert.equal(answer.status, 200);
    const reads = sent.filter(({ text }) => /^select.* from "posts"/s.test(text)).length;
    return { text: JSON.stringify(answer.json), etag: answer.headers.get('etag'), reads };
  }

  it('is answered with the same bytes and ETag; on SQLite the posts are read once', async () => {
    const { org, paths } = await withPosts();
    for (const path of paths) {
      const first = await read(org, path);
      const second = await read(org, path);
      assert.deepEqual([second.text, second.etag], [first.text, first.etag]);
      assert.equal(first.reads, 1);
      assert.equal(second.reads, isKept ? 0 : 1);
    }
  });

  it('is read again after every commit of the organization, whatever it changed', async () => {
    const { org, ids, paths } = await withPosts();
    for (const path of paths) {
      const before = await read(org, path);
      await changePost(org, ids[0], { caption: `Changed for ${path}` });
      const after = await read(org, path);
      assert.notEqual(after.text, before.text);
      assert.notEqual(after.etag, before.etag);
    }
    const [, post] = paths as [string, string];
    const before = await read(org, post);
    // A column that no response shows still counts for If-Match.
    const { app } = service;
    await app.db.transact((tx) =>
      tx.updateTable('posts').set({ wait_until: 1 }).where('id', '=', ids[0]).execute(),
    );
    const after = await read(org, post);
    assert.equal(after.text, before.text);
    assert.notEqual(after.etag, before.etag);
  });

  it('is read once for requests that begin together', async () => {
    const { org, ids, paths } = await withPosts();
    for (const path of paths) {
      await read(org, path);
      await changePost(org, ids[0], { caption: `Before many read ${path}` });
      const sent: Statement[] = [];
      const stop = statementsOf(engine, sent);
      const answers = await pipelined(service.url, org, path, 4).finally(stop);
      assert.equal(answers.split(`Before many read ${path}`).length, 1 + 4, answers);
      const reads = sent.filter(({ text }) => /^select.* from "posts"/s.test(text)).length;
      assert.equal(reads, isKept ? 1 : 4);
    }
  });

  it('is not read again because another organization has changed something', async () => {
    const { org, paths } = await withPosts();
    const other = await withPosts();
    for (const path of paths) {
      await read(org, path);
      await changePost(other.org, other.ids[0], { title: `Also ${path}` });
      assert.equal((await read(org, path)).reads, isKept ? 0 : 1);
    }
  });

  it('is read again after a commit of another process', async () => {
    const { org, ids, paths } = await withPosts();
    const other = await openApp(service.app.config, { clock: service.clock, log: silentLog });
    try {
      for (const path of paths) {
        await read(org, path);
        await other.db.transact((tx) =>
          tx
            .updateTable('posts')
            .set({ title: `By another: ${path}` })
            .where('id', '=', ids[0])
            .execute(),
        );
        assert.match((await read(org, path)).text, /By another/);
      }
    } finally {
      await other.close();
    }
  });

  it('of the analytics is kept too, until this process or another commits something', async () => {
    const { org } = await withPosts();
    const other = await openApp(service.app.config, { clock: service.clock, log: silentLog });
    const counted = async () => {
      const sent: Statement[] = [];
      const stop = statementsOf(engine, sent);
      const { status, json, headers } = await org.call('GET', '/api/v1/analytics').finally(stop);
      assert.deepEqual([status, headers.get('etag')], [200, null]);
      return {
        posts: json.data.total_posts,
        reads: sent.filter(({ text }) => /counters"/.test(text)).length,
      };
    };
    try {
      assert.deepEqual(await counted(), { posts: 2, reads: 2 });
      assert.deepEqual(await counted(), { posts: 2, reads: isKept ? 0 : 2 });
      await org.addPost({ title: 'Three' });
      assert.deepEqual(await counted(), { posts: 3, reads: 2 });
      await other.db.transact((tx) =>
        tx
          .updateTable('post_counters')
          .set({ n: 7 })
          .where('org_id', '=', org.id)
          .where('n', '=', 3)
          .execute(),
      );
      assert.deepEqual(await counted(), { posts: 7, reads: 2 });
    } finally {
      await other.close();
    }
  });

  it('sees every commit of another process that ended before the read began, with many reads at once', async () => {
    const { org, ids, paths } = await withPosts();
    const other = await openApp(service.app.config, { clock: service.clock, log: silentLog });
    const titleIn = async (path: string) => {
      const { data } = (await org.call('GET', path)).json;
      const post = Array.isArray(data) ? data.find(({ id }) => id === ids[0]) : data;
      return Number(post.title);
    };
    let committed = 0;
    let isOver = false;
    async function commits() {
      try {
        for (let n = 1; n <= 60; n++) {
          await other.db.transact((tx) =>
            tx
              .updateTable('posts')
              .set({ title: `${n}` })
              .where('id', '=', ids[0])
              .execute(),
          );
          committed = n;
        }
      } finally {
        isOver = true;
      }
    }
    async function reads(path: string) {
      while (!isOver) {
        const before = committed;
        const seen = await titleIn(path);
        assert.ok(before === 0 || seen >= before, `${path}: ${seen} after the commit of ${before}`);
      }
      assert.equal(await titleIn(path), 60);
    }
    try {
      await Promise.all([commits(), ...Array.from({ length: 8 }, (_, n) => reads(paths[n % 2] as string))]);
    } finally {
      await other.close();
    }
  });

  it('never shows what another organization has, at the same address', async () => {
    const [one, two] = [await withPosts(), await withPosts()];
    await read(one.org, LIST);
    const { text } = await read(two.org, LIST);
    assert.ok(text.includes(two.ids[0]) && !text.includes(one.ids[0]));
    const foreign = await two.org.call('GET', `/api/v1/posts/${one.ids[0]}`);
    assert.equal(foreign.status, 404);
  });

  it('with include, q or needs_attention is never kept', async () => {
    const { org } = await withPosts();
    for (const query of ['include=cover', 'q=one', 'needs_attention=true']) {
      await org.call('GET', `/api/v1/posts?${query}`);
      const sent: Statement[] = [];
      const stop = statementsOf(engine, sent);
      await org.call('GET', `/api/v1/posts?${query}`).finally(stop);
      assert.ok(
        sent.some(({ text }) => text.includes('"posts"')),
        query,
      );
    }
  });
});

/** The same request several times, in one piece: they arrive in one turn of the event loop. */
async function pipelined(url: string, org: Organization, path: string, times: number): Promise<string> {
  const { host, hostname, port } = new URL(url);
  const request = (connection: string) =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${org.key}\r\nConnection: ${connection}\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.write(request('keep-alive').repeat(times - 1) + request('close'));
  return text(socket);
}

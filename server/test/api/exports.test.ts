// Posts and attempts as files.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Reader } from '../../src/db/database.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import {
  addDispatch,
  addPostIn,
  assertProblem,
  assertRefused,
  at,
  changePost,
  listPosts,
} from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const POSTS = '/api/v1/posts/export';
const DISPATCHES = '/api/v1/dispatches/export';

/** Enough that no buffer on the way takes all of it. */
const MANY = 6_000;
const PAGES = MANY / 500;
const LONG = 'x'.repeat(8_000);

onEngines('postgres', 'An export', (engine) => {
  let pagesRead = 0;
  const service = useService(engine, {
    ...WITHOUT_WORKER,
    database: (real) => ({
      ...real,
      readSnapshot: (name, work) =>
        real.readSnapshot(name, (read) =>
          work({
            selectFrom: (table: never) => {
              pagesRead++;
              return read.selectFrom(table);
            },
          } as unknown as Reader),
        ),
    }),
  });

  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

  it('of posts as NDJSON has every post as in the list, the newest first', async () => {
    const org = await service.newOrganization();
    await addPostIn(service, org, 'scheduled', { title: 'One "quoted", and=', caption: 'a\nb' });
    await addPostIn(service, org, 'archived', { title: 'Two', post_type: 'video', cover_ms: 5 });
    await addPostIn(service, org, 'posted', { title: 'Три' });
    const answer = await org.call('GET', `${POSTS}?format=ndjson`);
    assert.equal(answer.headers.get('content-type'), 'application/x-ndjson');
    const day = at(service.clock.now()).slice(0, 10);
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="posts-${day}.ndjson"`);
    assert.deepEqual(
      linesOf(answer.text).map((line) => JSON.parse(line)),
      (await listPosts(org)).data,
    );
    const some = await org.call('GET', `${POSTS}?format=ndjson&status=archived,posted&post_type=slides`);
    assert.deepEqual(
      linesOf(some.text).map((line) => JSON.parse(line).title),
      ['Три'],
    );
  });

  it('of posts as CSV has a line of names, and no text that a spreadsheet would run', async () => {
    const org = await service.newOrganization();
    await org.addPost({ title: '=1+1', caption: 'one, "two"', hashtags: '-3' });
    const answer = await org.call('GET', POSTS);
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    const [names, row, ...more] = answer.text.split('\r\n');
    assert.deepEqual(more, ['']);
    const [post] = (await listPosts(org)).data;
    assert.deepEqual(names?.split(','), Object.keys(post as object));
    assert.ok(row?.startsWith(`${post?.id},${org.id},slides,'=1+1,"one, ""two""",'-3,draft,,`), row);
    assert.ok(row?.endsWith(`,${post?.created_at},${post?.updated_at}`), row);
  });

  it('of attempts has every attempt as in the list, by the same filters', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    for (const outcome of ['failed', 'published', 'unknown'] as const)
      await addDispatch(service, org, await org.addPost(), {
        outcome,
        social_account_id: account,
        error_message: outcome === 'failed' ? '@all: no.' : null,
      });
    for (const query of ['', `outcome=failed,unknown&social_account_id=${account}`, 'trigger=retry']) {
      const { json } = await org.call('GET', `/api/v1/dispatches?${query}`);
      const { text } = await org.call('GET', `${DISPATCHES}?format=ndjson&${query}`);
      assert.deepEqual(
        linesOf(text).map((line) => JSON.parse(line)),
        json.data,
      );
    }
    const { text } = await org.call('GET', `${DISPATCHES}?outcome=failed`);
    assert.match(text, /,'@all: no\.,/);
  });

  it('refuses what it does not know, and needs posts:read', async () => {
    const org = await service.newOrganization();
    const other = await service.newOrganization();
    for (const path of [POSTS, DISPATCHES]) {
      assertRefused(await org.call('GET', `${path}?format=xlsx`), 'format');
      assertRefused(await org.call('GET', `${path}?page=1`), 'page');
      const foreign = await other.addAccount();
      assertRefused(await org.call('GET', `${path}?social_account_id=${foreign}`), 'social_account_id');
      const key = await org.keyWith(['posts:write']);
      assertProblem(await service.request('GET', path, { key }), 403, 'insufficient_scope');
    }
  });

  /** A response whose body is not read yet. */
  async function open(org: Organization, path: string): Promise<IncomingMessage> {
    const asked = request(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${org.key}` },
      agent: false,
    });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    return answer;
  }

  async function withManyPosts() {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'The newest' });
    const row = await service.app.db.read
      .selectFrom('posts')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    for (let n = 1; n < MANY; n += 500)
      await service.app.db.transact((tx) =>
        tx
          .insertInto('posts')
          .values(
            Array.from({ length: Math.min(500, MANY - n) }, (_, i) => ({
              ...row,
              id: service.app.newId(),
              title: `Number ${n + i}`,
              caption: LONG,
              created_at: row.created_at - n - i,
            })),
          )
          .execute(),
      );
    return { org, id };
  }

  it('shows one state, reads no further than its client does, is the only one of its organization, and ends with its client', async () => {
    const { org } = await withManyPosts();
    pagesRead = 0;
    const file = await open(org, `${POSTS}?format=ndjson`);
    for (const path of [POSTS, DISPATCHES]) {
      const refused = await org.call('GET', path);
      assertProblem(refused, 503, 'busy');
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    }
    const other = await service.newOrganization();
    assert.equal((await other.call('GET', POSTS)).status, 200);

    const oldest = await service.app.db.read
      .selectFrom('posts')
      .select('id')
      .where('org_id', '=', org.id)
      .orderBy('created_at')
      .limit(2)
      .execute();
    const [last, secondLast] = oldest.map(({ id }) => id) as [string, string];
    await changePost(org, secondLast, { title: 'Changed meanwhile' });
    await org.addPost({ title: 'Created meanwhile' });
    await service.app.db.transact((tx) => tx.deleteFrom('posts').where('id', '=', last).execute());
    assert.ok(pagesRead < PAGES, `${pagesRead} pages were read for a client that has read none`);

    let text = '';
    for await (const chunk of file.setEncoding('utf8')) text += chunk;
    const titles = linesOf(text).map((line) => JSON.parse(line).title);
    assert.deepEqual(titles, [
      'The newest',
      ...Array.from({ length: MANY - 1 }, (_, n) => `Number ${n + 1}`),
    ]);

    // A client that goes away.
    const left = await open(org, POSTS);
    assertProblem(await org.call('GET', POSTS), 503, 'busy');
    left.destroy();
    while ((await org.call('GET', DISPATCHES)).status === 503) await delay(20);
  });
});

import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { markChanged } from '../../src/db/changes.js';
import { recordEvent } from '../../src/events/record.js';
import { MAX_WAITING } from '../../src/events/stream.js';
import { MAX_OF_CALLER, MAX_STREAMS } from '../../src/events/streams.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { EVENTS, eventsOf, STREAM, Stream } from '../support/service/event-streams.js';
import { type Organization, startTestService, useService } from '../support/service/harness.js';
import { anotherSession, type Browser, newPerson } from '../support/service/people.js';
import {
  addDispatch,
  assertProblem,
  changePost,
  farSlot,
  setPost,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { complete, grant, listKeys, removeOne, reorder, upload } from '../support/service/uploads.js';

onEngines('postgres', 'The stream of events', (engine) => {
  const service = useService(engine);
  const opened: Stream[] = [];
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close();
    service.clock.resume();
  });

  async function open(org: Pick<Organization, 'key'>, more: Parameters<typeof Stream.open>[2] = {}) {
    const stream = await Stream.open(service.url, org.key, more);
    opened.push(stream);
    assert.equal(stream.response.status, 200);
    return stream;
  }

  /** One more event of the organization. */
  const write = (org: Organization): Promise<string> => org.addPost();

  it('opens at once, says from where it continues, and must not be cached or buffered by proxies', async () => {
    const org = await service.newOrganization();
    await write(org);
    const stream = await open(org);
    const { headers } = stream.response;
    assert.equal(headers.get('content-type'), 'text/event-stream');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.ok(headers.get('x-request-id'));
    await until('the first line is there', () => stream.messages.length > 0);
    const [last] = await eventsOf(org);
    assert.deepEqual(stream.messages[0], { retry: '2000', id: last?.id, event: 'ready', data: {} });
  });

  it('sends events as they happen, as the list shows them, and no older ones', async () => {
    const org = await service.newOrganization();
    await write(org);
    const stream = await open(org);
    await write(org);
    await write(org);
    const received = await stream.untilEvents(2);
    assert.deepEqual(received, (await eventsOf(org)).slice(1));
    const ids = stream.messages.filter(({ event }) => event === 'post.created').map(({ id }) => id);
    assert.deepEqual(
      ids,
      received.map(({ id }) => id),
    );
  });

  it('continues after Last-Event-ID, which wins over `after`', async () => {
    const org = await service.newOrganization();
    for (let i = 0; i < 3; i++) await write(org);
    const [first, second, third] = await eventsOf(org);
    const after = first?.id as string;
    assert.deepEqual(await (await open(org, { after })).untilEvents(2), [second, third]);
    const resumed = await open(org, { after, headers: { 'last-event-id': second?.id as string } });
    await write(org);
    assert.deepEqual((await resumed.untilEvents(2))[0], third);
  });

  it('begins with a comment if events after the cursor were pruned', async () => {
    const org = await service.newOrganization();
    for (let i = 0; i < 4; i++) await write(org);
    const all = await eventsOf(org);
    const idOf = (n: number) => all[n - 1]?.id as string;
    const prune = (below: number) =>
      service.app.db.transact((tx) =>
        tx.deleteFrom('events').where('org_id', '=', org.id).where('seq', '<', below).execute(),
      );
    await prune(3);
    const beginningAfter = async (after: string, count: number) => {
      const stream = await open(org, { after });
      await stream.untilEvents(count);
      return stream.comments;
    };
    assert.deepEqual(await beginningAfter(idOf(1), 2), [
      `gap: events after ${idOf(1)} have expired; fetch your data again`,
    ]);
    assert.equal((await beginningAfter('evt_000000000', 2)).length, 1);
    assert.deepEqual(await beginningAfter(idOf(2), 2), []);
    assert.deepEqual(await beginningAfter(idOf(3), 1), []);
  });

  it('refuses a cursor that was never given with 410', async () => {
    const org = await service.newOrganization();
    await write(org);
    for (const after of ['evt_000000002', 'evt_e00000001_000000001', 'evt_zzzzzzzzz'])
      for (const headers of [{}, { accept: 'text/event-stream' }]) {
        const answer = await org.call('GET', `/api/v1/events?after=${after}`, undefined, headers);
        assert.equal(answer.status, 410, answer.text);
        assert.equal(answer.json.code, 'cursor_unknown');
      }
  });

  it('loses nothing between the list and the stream, and sends nothing twice', async () => {
    const org = await service.newOrganization();
    let writing = true;
    const writer = (async () => {
      for (let i = 0; i < 12; i++) await write(org);
      writing = false;
    })();
    await until('there are some', async () => (await eventsOf(org)).length > 2);
    const listed = await eventsOf(org);
    const stream = await open(org, { after: listed.at(-1)?.id as string });
    await writer;
    assert.equal(writing, false);
    const received = await stream.untilEvents(12 - listed.length);
    assert.deepEqual([...listed, ...received], await eventsOf(org));
  });

  it('sends more events than fit on a page', async () => {
    const org = await service.newOrganization();
    await service.app.db.transact(async (tx) => {
      for (let i = 0; i < 250; i++) await recordEvent(tx, org.id, 'post.deleted', i, { post_id: UNKNOWN_ID });
    });
    const stream = await open(org, { after: 'evt_000000000' });
    const ids = (await stream.untilEvents(250)).map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
  });

  it('sends a change notice for the post with every route that changes one', async () => {
    const org = await service.newOrganization();
    const stream = await open(org);
    const id = await org.addPost();
    await stream.untilChanged(id);
    const path = `/api/v1/posts/${id}`;
    const acts: Record<string, () => Promise<unknown>> = {
      update: () => changePost(org, id, { title: 'Another' }),
      schedule: async () => changePost(org, id, await farSlot(service, org)),
      unschedule: () => changePost(org, id, { status: 'draft' }),
      grant: () => grant(org, id),
      upload: () => upload(org, id, 'slide.png'),
      complete: async () => {
        const { object_key } = await upload(org, id, 'slide.jpg');
        await complete(org, id, object_key);
      },
      reorder: async () => reorder(org, id, (await listKeys(org, id)).reverse()),
      remove: async () => removeOne(org, id, (await listKeys(org, id))[0] as string),
      archive: () => org.call('PATCH', '/api/v1/posts/batch', { ids: [id], action: 'archive' }),
      unarchive: () => org.call('PATCH', '/api/v1/posts/batch', { ids: [id], action: 'unarchive' }),
      resolve: async () => {
        await addDispatch(service, org, id, { outcome: 'unknown' });
        await setPost(service, id, { status: 'publishing' });
        await stream.untilChanged(id);
        stream.forget();
        const { status, text } = await org.call('POST', `${path}/resolve`, { outcome: 'not_posted' });
        assert.equal(status, 200, text);
      },
      delete: () => org.call('DELETE', path),
    };
    for (const [name, act] of Object.entries(acts)) {
      stream.forget();
      await act();
      await stream.untilChanged(id).catch((error) => {
        error.message = `${name}: ${error.message}`;
        throw error;
      });
    }
  });

  it('sends a change notice for publishing, and for accounts that are connected and disconnected', async () => {
    const org = await service.newOrganization();
    const stream = await open(org);
    const account = await org.connectAccount();
    await until('the notice of the account is there', () =>
      stream.changes().some(({ accounts }) => accounts),
    );
    const id = await org.addPost();
    await upload(org, id, 'slide.png');
    const before = (await stream.untilEvents(2)).map(({ type }) => type);
    assert.deepEqual(before, ['account.connected', 'post.created']);
    stream.forget();
    const body = { social_account_id: account, privacy_level: 'PUBLIC_TO_EVERYONE' };
    assert.equal((await org.call('POST', `/api/v1/posts/${id}/publish`, body)).status, 200);
    await stream.untilChanged(id);
    const published = (await stream.untilEvents(1))[0];
    assert.ok(published?.type === 'post.published');
    assert.equal(published.data.post_id, id);
    stream.forget();
    assert.equal((await org.call('DELETE', `/api/v1/social-accounts/${account}`)).status, 204);
    await until('the notice of the loss is there', () => stream.changes().some(({ accounts }) => accounts));
    assert.equal((await stream.untilEvents(1))[0]?.type, 'account.disconnected');
  });

  it('names a post once in a notice, however often it has changed, and does not mention accounts then', async () => {
    const org = await service.newOrganization();
    const stream = await open(org);
    const id = await org.addPost();
    await stream.untilChanged(id);
    for (const { posts, accounts } of stream.changes()) {
      assert.deepEqual(posts, [...new Set(posts)]);
      assert.equal(accounts, false);
    }
  });

  it('sends nothing of another organization', async () => {
    const [mine, theirs] = [await service.newOrganization(), await service.newOrganization()];
    const stream = await open(mine, { after: 'evt_000000000' });
    const foreign = await write(theirs);
    await theirs.call('DELETE', `/api/v1/social-accounts/${await theirs.addAccount()}`);
    // A foreign event would have come before the organization's own.
    const own = await write(mine);
    await stream.untilChanged(own);
    await stream.untilEvents(1);
    assert.ok(!JSON.stringify(stream.messages).includes(foreign));
    assert.equal(stream.events().length, 1);
    assert.ok(stream.changes().every(({ accounts }) => !accounts));
  });

  it('ends when its key is revoked', async () => {
    const org = await service.newOrganization();
    const { json } = await org.call('POST', '/api/v1/keys', { name: 'Short-lived' });
    const [stream, other] = [await open({ key: json.data.key }), await open(org)];
    assert.equal((await org.call('DELETE', `/api/v1/keys/${json.data.id}`)).status, 204);
    await stream.untilEnd();
    await other.untilChanged(await org.addPost());
  });

  it('ends when its key expires', async () => {
    const org = await service.newOrganization();
    const expires_at = new Date(service.clock.now() + 60_000).toISOString();
    const stream = await open({ key: await org.keyWith(['posts:read'], { expires_at }) });
    service.clock.advance(61_000);
    await stream.untilEnd();
  });

  it(`429: an organization has ${MAX_STREAMS} of them, until one is closed`, async () => {
    const org = await service.newOrganization();
    const keys = await Promise.all(
      Array.from({ length: MAX_STREAMS / MAX_OF_CALLER }, () => org.keyWith(['posts:read'])),
    );
    const all = await Promise.all(
      keys.flatMap((key) => Array.from({ length: MAX_OF_CALLER }, () => open({ key }))),
    );
    const refused = await org.call('GET', EVENTS, undefined, STREAM);
    assertProblem(refused, 429, 'rate_limited');
    assert.match(refused.json.detail, /^Your organization has 50 streams open\./);
    assert.equal(refused.headers.get('retry-after'), '5');
    await open(await service.newOrganization());
    all[0]?.close();
    await until('there is room again', async () => {
      const stream = await Stream.open(service.url, org.key);
      opened.push(stream);
      return stream.response.status === 200;
    });
  });

  it(`429: a key or session has ${MAX_OF_CALLER} of them, and the others can still open theirs`, async () => {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'viewer');
    const twin = await anotherSession(service, person);
    const asKey = () => Stream.open(service.url, org.key);
    const as = (browser: Browser) => () =>
      Stream.open(service.url, null, { headers: { cookie: browser.cookie as string } });
    const others = [
      async () => Stream.open(service.url, await org.keyWith(['posts:read'])),
      as(twin.browser),
    ];
    for (const ask of [asKey, as(person.browser)]) {
      const all = await Promise.all(Array.from({ length: MAX_OF_CALLER }, ask));
      opened.push(...all);
      for (const { response } of all) assert.equal(response.status, 200);
      const { response } = await ask();
      assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '5']);
      for (const other of others) {
        const stream = await other();
        opened.push(stream);
        assert.equal(stream.response.status, 200);
      }
      all[0]?.close();
      await until('there is room again', async () => {
        const stream = await ask();
        opened.push(stream);
        return stream.response.status === 200;
      });
    }
    const refused = await org.call('GET', EVENTS, undefined, STREAM);
    assertProblem(refused, 429, 'rate_limited');
    assert.match(refused.json.detail, /^This key or session has 10 streams open\. Close one/);
  });

  it('closes the stream of a client that is too far behind, which then fetches everything again', async () => {
    const org = await service.newOrganization();
    const stream = await open(org);
    const posts = Array.from({ length: MAX_WAITING + 1 }, (_, i) => `post ${i}`);
    await service.app.db.transact(async (tx) => markChanged(tx, org.id, { posts }));
    await stream.untilEnd();
  });
});

onEngines('sqlite', 'A server that stops', (engine) => {
  it('ends its streams, and does not wait for them', async () => {
    const service = await startTestService(engine);
    const org = await service.newOrganization();
    const streams = await Promise.all([1, 2, 3].map(() => Stream.open(service.url, org.key)));
    await service.stop();
    for (const stream of streams) await stream.untilEnd();
  });
});

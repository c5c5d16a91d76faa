import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EVENT_RETENTION_MS } from '../../src/events/record.js';
import { sweep } from '../../src/worker/sweep.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { EVENTS, eventsOf, STREAM } from '../support/service/event-streams.js';
import { type Organization, useService } from '../support/service/harness.js';
import {
  assertProblem,
  assertRefused,
  at,
  changePost,
  slot,
  TIMESTAMP,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

onEngines('sqlite', 'GET /api/v1/events', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  /** An organization with this many slots, each an event. The events of their creation are pruned. */
  async function withSlots(n: number) {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const ids: string[] = [];
    for (let i = 0; i < n; i++) {
      const id = await org.addPost();
      await changePost(org, id, await slot(service, org, account));
      ids.push(id);
    }
    await service.app.db.transact((tx) =>
      tx.deleteFrom('events').where('org_id', '=', org.id).where('type', '=', 'post.created').execute(),
    );
    return { org, account, ids };
  }

  const postsOf = async (org: Organization, query = {}) =>
    (await eventsOf(org, query)).map(({ data }) => data.post_id);

  const typesOf = async (org: Organization) => (await eventsOf(org)).map(({ type }) => type);

  it('reports posts that are created, copied and deleted', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const copied = await org.call('POST', `/api/v1/posts/${id}/duplicate`);
    const copy = copied.json.data.id;
    await org.call('DELETE', `/api/v1/posts/${id}`);
    await org.call('POST', '/api/v1/posts/bulk', { action: 'delete', ids: [copy] });
    assert.deepEqual(
      (await eventsOf(org)).map(({ type, data }) => [type, data]),
      [
        ['post.created', { post_id: id }],
        ['post.created', { post_id: copy }],
        ['post.deleted', { post_id: id }],
        ['post.deleted', { post_id: copy }],
      ],
    );
  });

  it('says whether more follow, and whether events after the given id were pruned', async () => {
    const org = await service.newOrganization();
    for (let i = 0; i < 5; i++) await org.addPost();
    const list = async (query: string) => {
      const { json } = await org.call('GET', `/api/v1/events${query}`);
      return [json.data.map(({ id }: { id: string }) => Number(id.slice(4))), json.has_more, json.gap];
    };
    const prune = (...seqs: number[]) =>
      service.app.db.transact((tx) =>
        tx.deleteFrom('events').where('org_id', '=', org.id).where('seq', 'in', seqs).execute(),
      );
    assert.deepEqual(await list('?after=evt_000000000&limit=2'), [[1, 2], true, false]);
    assert.deepEqual(await list('?after=evt_000000003&limit=2'), [[4, 5], false, false]);
    assert.deepEqual(await list('?after=evt_000000005'), [[], false, false]);
    await prune(1, 2);
    assert.deepEqual(await list('?after=evt_000000000&limit=2'), [[3, 4], true, true]);
    assert.deepEqual(await list('?after=evt_000000001'), [[3, 4, 5], false, true]);
    // It was read, and is gone since: nothing was missed.
    assert.deepEqual(await list('?after=evt_000000002'), [[3, 4, 5], false, false]);
    assert.deepEqual(await list('?after=evt_000000003&limit=1'), [[4], true, false]);
    // Without an id, a list begins with what is there.
    assert.deepEqual(await list(''), [[3, 4, 5], false, false]);
    await prune(3, 4, 5);
    assert.deepEqual(await list('?after=evt_000000004'), [[], false, true]);
    assert.deepEqual(await list('?after=evt_000000005'), [[], false, false]);
    assert.deepEqual(await list('?after=evt_000000000'), [[], false, true]);
  });

  it('numbers several events of one transaction without a gap', async () => {
    const org = await service.newOrganization();
    const ids = [await org.addPost(), await org.addPost(), await org.addPost()];
    await org.call('POST', '/api/v1/posts/bulk', { action: 'delete', ids });
    const last = await org.addPost();
    const events = await eventsOf(org);
    assert.deepEqual(
      events.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7].map((n) => `evt_00000000${n}`),
    );
    assert.deepEqual(
      events.map(({ data }) => data.post_id),
      [...ids, ...ids, last],
    );
  });

  it('lists nothing for a new organization', async () => {
    const org = await service.newOrganization();
    const { status, json } = await org.call('GET', EVENTS);
    assert.deepEqual([status, json], [200, { data: [], has_more: false, gap: false }]);
  });

  it('reports a slot that is booked, and one that is moved', async () => {
    const { org, account, ids } = await withSlots(1);
    const moved = at(service.clock.now() + 7_200_000);
    await changePost(org, ids[0] as string, { scheduled_at: moved });
    const [first, second, ...more] = await eventsOf(org);
    assert.deepEqual(more, []);
    assert.deepEqual([first?.type, second?.type], ['post.scheduled', 'post.scheduled']);
    assert.match(first?.created_at ?? '', TIMESTAMP);
    assert.deepEqual(second?.data, {
      post_id: ids[0],
      social_account_id: account,
      platform: 'tiktok',
      scheduled_at: moved,
    });
    assert.ok((first?.id ?? '') < (second?.id ?? ''), 'ids sort');
  });

  it('reports no other changes, and no slot that stays or is cleared', async () => {
    const { org, ids } = await withSlots(1);
    const [id] = ids as [string];
    await changePost(org, id, { title: 'Another' });
    await changePost(org, id, { status: 'scheduled' });
    await changePost(org, id, { status: 'draft' });
    await org.call('PATCH', '/api/v1/posts/batch', { ids, action: 'archive' });
    assert.equal((await eventsOf(org)).length, 1);
  });

  it('reports nothing for a refused request', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const early = { ...(await slot(service, org)), scheduled_at: at(service.clock.now() + 60_000) };
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, early), 'scheduled_at');
    assertRefused(await org.call('POST', '/api/v1/posts', {}), 'title');
    assert.equal((await org.call('DELETE', `/api/v1/posts/${UNKNOWN_ID}`)).status, 404);
    assert.deepEqual(await typesOf(org), ['post.created']);
  });

  it('reports a request once that is repeated with its Idempotency-Key', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const booking = await slot(service, org);
    for (let i = 0; i < 2; i++)
      await org.call('PATCH', `/api/v1/posts/${id}`, booking, { 'idempotency-key': `slot-${id}` });
    assert.deepEqual(await typesOf(org), ['post.created', 'post.scheduled']);
  });

  it('reports an account that was disconnected', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount('reconnect_required');
    assert.equal((await org.call('DELETE', `/api/v1/social-accounts/${account}`)).status, 204);
    const [event, ...more] = await eventsOf(org);
    assert.deepEqual(more, []);
    assert.equal(event?.type, 'account.disconnected');
    const { social_account_id, account_status, reason } = event.data;
    assert.deepEqual([social_account_id, account_status, reason], [account, 'disconnected', null]);
  });

  it('continues after the given event, oldest first, up to the limit', async () => {
    const { org, ids } = await withSlots(4);
    const all = await eventsOf(org);
    assert.deepEqual(await postsOf(org), ids);
    assert.deepEqual(await postsOf(org, { limit: 3 }), ids.slice(0, 3));
    assert.deepEqual(await postsOf(org, { after: all[1]?.id, limit: 1 }), [ids[2]]);
    assert.deepEqual(await postsOf(org, { after: all[3]?.id }), []);
    assert.deepEqual(await postsOf(org, { after: 'evt_000000000' }), ids);
  });

  it('400: a parameter outside its rules', async () => {
    const org = await service.newOrganization();
    assertRefused(await org.call('GET', `${EVENTS}?after=7`), 'after');
    assertRefused(await org.call('GET', `${EVENTS}?limit=0`), 'limit');
    assertRefused(await org.call('GET', `${EVENTS}?limit=101`), 'limit');
    assertRefused(await org.call('GET', `${EVENTS}?since=1`), 'since');
    const headers = { ...STREAM, 'last-event-id': 'nonsense' };
    assertRefused(await org.call('GET', EVENTS, undefined, headers), 'Last-Event-ID');
  });

  it('403: the key needs posts:read', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['posts:write', 'org:manage']);
    for (const headers of [{}, STREAM])
      assertProblem(await service.request('GET', EVENTS, { key, headers }), 403, 'insufficient_scope');
  });

  it('gives an event as it was recorded, though its type has more fields now, or is gone', async () => {
    const { org } = await withSlots(1);
    const [event] = await eventsOf(org);
    const older = { post_id: event?.data.post_id };
    await service.app.db.transact(async (tx) => {
      const last = tx.selectFrom('events').select('seq').where('org_id', '=', org.id);
      const { seq } = await last.orderBy('seq', 'desc').executeTakeFirstOrThrow();
      const row = { org_id: org.id, data: JSON.stringify(older), created_at: service.clock.now() };
      await tx
        .insertInto('events')
        .values([
          { ...row, seq: seq + 1, type: 'post.published' },
          { ...row, seq: seq + 2, type: 'post.applauded' as 'post.public' },
        ])
        .execute();
    });
    const recorded = (await eventsOf(org)).slice(-2);
    assert.deepEqual(
      recorded.map(({ type, data }) => [type, data]),
      [
        ['post.published', older],
        ['post.applauded', older],
      ],
    );
  });

  it('shows nothing of another organization, whose event ids are unknown here', async () => {
    const { org: theirs } = await withSlots(2);
    const { org, ids } = await withSlots(1);
    assert.deepEqual(await postsOf(org), ids);
    const [first] = await eventsOf(theirs);
    assert.deepEqual(await postsOf(org, { after: first?.id }), []);
  });

  it('answers HEAD without a body, and opens nothing for it', async () => {
    const org = await service.newOrganization();
    const plain = await org.call('HEAD', EVENTS);
    assert.deepEqual([plain.status, plain.text], [200, '']);
    const stream = await org.call('HEAD', EVENTS, undefined, STREAM);
    assert.deepEqual([stream.status, stream.text], [200, '']);
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    const { text } = await service.request('GET', '/metrics');
    assert.match(text, /^airdate_event_streams 0$/m);
  });

  it('forgets events older than 30 days, and keeps counting ids', async () => {
    const { org, ids } = await withSlots(2);
    const [, last] = await eventsOf(org);
    service.clock.advance(EVENT_RETENTION_MS + 1);
    try {
      await sweep(service.app);
      assert.deepEqual(await eventsOf(org), []);
      await changePost(org, ids[0] as string, { scheduled_at: at(service.clock.now() + 7_200_000) });
      const [next] = await eventsOf(org, { after: last?.id as string });
      assert.equal(next?.data.post_id, ids[0]);
    } finally {
      service.clock.resume();
    }
  });
});

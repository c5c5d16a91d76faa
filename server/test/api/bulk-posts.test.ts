import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import { type Organization, useService } from '../support/service/harness.js';
import {
  addDispatch,
  addPostIn,
  assertProblem,
  assertRefused,
  at,
  changePost,
  POST_FIELDS,
  readPost,
  readyPost,
  STATUSES,
  setPost,
  slot,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';
import { storedFor, WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/posts/bulk';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Item {
  id: string;
  status: number;
  post?: Awaited<ReturnType<typeof readPost>>;
  problem?: {
    status: number;
    code: string;
    request_id: string;
    errors?: { pointer: string; message: string }[];
  };
}

onEngines('sqlite', 'POST /api/v1/posts/bulk', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  const bulk = (org: Organization, body: object, headers?: Record<string, string>): Promise<Answer> =>
    org.call('POST', PATH, body, headers);

  async function done(org: Organization, body: object, headers?: Record<string, string>): Promise<Item[]> {
    const answer = await bulk(org, body, headers);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.json), ['data']);
    return answer.json.data;
  }

  const outcomes = (items: Item[]) =>
    items.map(({ id, status, problem }) => [id, status, ...(problem ? [problem.code] : [])]);

  const soon = (hours: number) => at(service.clock.now() + hours * HOUR_MS);

  const auditOf = async (org: Organization) =>
    (
      await service.app.db.read
        .selectFrom('audit')
        .select(['action', 'target_id', 'details'])
        .where('org_id', '=', org.id)
        .where('target_kind', '=', 'post')
        .orderBy('id')
        .execute()
    ).map(({ action, target_id }) => [action, target_id]);

  it('schedules each post for its own time, with one account, privacy level, mode and toggles for all', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const draft = await org.addPost();
    const booked = await addPostIn(service, org, 'scheduled');
    await setPost(service, draft, { last_slot: service.clock.now() - DAY_MS });
    const [first, second] = [soon(5), soon(2)];
    const items = await done(org, {
      action: 'schedule',
      ids: [booked, draft],
      scheduled_at: [first, second],
      social_account_id: account,
      privacy_level: 'SELF_ONLY',
      publish_mode: 'inbox',
      disable_comment: true,
    });
    assert.deepEqual(outcomes(items), [
      [booked, 200],
      [draft, 200],
    ]);
    for (const [item, scheduled_at] of [
      [items[0], first],
      [items[1], second],
    ] as const) {
      assert.ok(item?.post);
      assert.deepEqual(Object.keys(item.post).sort(), [...POST_FIELDS].sort());
      assert.deepEqual(item.post, await readPost(org, item.id));
      const { status, social_account_id, privacy_level, publish_mode, disable_comment, last_slot } =
        item.post;
      assert.deepEqual(
        [status, item.post.scheduled_at, social_account_id, privacy_level, publish_mode, disable_comment],
        ['scheduled', scheduled_at, account, 'SELF_ONLY', 'inbox', true],
      );
      assert.equal(last_slot, null);
    }
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('takes what is stored where the request leaves it out, as PATCH does', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const ready = await org.addPost({ social_account_id: account });
    await changePost(org, ready, { privacy_level: 'SELF_ONLY' });
    const bare = await org.addPost();
    const items = await done(org, {
      action: 'schedule',
      ids: [ready, bare],
      scheduled_at: [soon(1), soon(2)],
    });
    assert.deepEqual(outcomes(items), [
      [ready, 200],
      [bare, 400, 'validation_failed'],
    ]);
    assert.deepEqual(items[1]?.problem?.errors?.map(({ pointer }) => pointer).sort(), [
      '/privacy_level',
      '/social_account_id',
    ]);
  });

  it('refuses one post and changes the others, in the order of the ids', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const ids: string[] = [];
    for (const status of STATUSES) ids.push(await addPostIn(service, org, status));
    const foreign = await other.addPost();
    const [draft, scheduled, publishing, posted, archived] = ids as [string, string, string, string, string];
    const before = await Promise.all(ids.map((id) => readPost(org, id)));
    const foreignBefore = await readPost(other, foreign);
    const all = [posted, foreign, draft, UNKNOWN_ID, publishing, scheduled, archived];
    const items = await done(org, {
      action: 'schedule',
      ids: all,
      scheduled_at: all.map((_, n) => (all[n] === scheduled ? at(service.clock.now()) : soon(n + 1))),
      social_account_id: await org.addAccount(),
      privacy_level: 'SELF_ONLY',
    });
    assert.deepEqual(outcomes(items), [
      [posted, 409, 'wrong_state'],
      [foreign, 404, 'not_found'],
      [draft, 200],
      [UNKNOWN_ID, 404, 'not_found'],
      [publishing, 409, 'wrong_state'],
      [scheduled, 400, 'validation_failed'],
      [archived, 409, 'wrong_state'],
    ]);
    for (const { post, problem, status } of items) {
      assert.equal(post === undefined, problem !== undefined);
      if (problem) assert.deepEqual([problem.status, typeof problem.request_id], [status, 'string']);
    }
    assert.equal(items[5]?.problem?.errors?.[0]?.pointer, '/scheduled_at');
    for (const [n, id] of ids.entries())
      if (id !== draft) assert.deepEqual(await readPost(org, id), before[n]);
    assert.deepEqual(await readPost(other, foreign), foreignBefore);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('moves slots by days, and back', async () => {
    const org = await service.newOrganization();
    const ids = [await addPostIn(service, org, 'scheduled'), await addPostIn(service, org, 'scheduled')];
    const draft = await org.addPost();
    const slots = await Promise.all(ids.map(async (id) => (await readPost(org, id)).scheduled_at as string));
    const items = await done(org, { action: 'shift', ids: [...ids, draft], days: 10 });
    assert.deepEqual(outcomes(items), [...ids.map((id) => [id, 200]), [draft, 409, 'wrong_state']]);
    assert.deepEqual(
      items.slice(0, 2).map(({ post }) => post?.scheduled_at),
      slots.map((scheduled_at) => at(Date.parse(scheduled_at) + 10 * DAY_MS)),
    );
    const back = await done(org, { action: 'shift', ids, days: -10 });
    assert.deepEqual(
      back.map(({ post }) => post?.scheduled_at),
      slots,
    );
    const past = await done(org, { action: 'shift', ids, days: -1 });
    assert.deepEqual(
      past.map(({ status, problem }) => [status, problem?.code]),
      ids.map(() => [400, 'validation_failed']),
    );
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await readPost(org, id)).scheduled_at)), slots);
  });

  it('keeps the local hour of the time zone over a change of summer time', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    // Clocks in Berlin go forward on 31 March 2030, and back on 27 October.
    for (const [from, days, time_zone, to] of [
      ['2030-03-30T17:00:00Z', 1, 'Europe/Berlin', '2030-03-31T16:00:00Z'],
      ['2030-03-30T17:00:00Z', 1, undefined, '2030-03-31T17:00:00Z'],
      ['2030-03-30T01:30:00Z', 1, 'Europe/Berlin', '2030-03-31T01:30:00Z'],
      ['2030-10-28T17:00:00Z', -2, 'Europe/Berlin', '2030-10-26T16:00:00Z'],
    ] as const) {
      await changePost(org, id, { scheduled_at: from });
      const zone = time_zone ? { time_zone } : {};
      const [item] = await done(org, { action: 'shift', ids: [id], days, ...zone });
      assert.equal(item?.post?.scheduled_at, to);
    }
  });

  it('moves the slot of a post whose account must be reconnected, as PATCH does', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    await setPost(service, id, { social_account_id: await org.addAccount('reconnect_required') });
    assert.deepEqual(outcomes(await done(org, { action: 'shift', ids: [id], days: 1 })), [[id, 200]]);
  });

  it('says that a slot would move beyond the year 9999, and leaves the post as it was', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const account = await org.addAccount();
    const slotOf = async () => (await readPost(org, id)).scheduled_at;
    await changePost(org, id, {
      ...(await slot(service, org, account)),
      scheduled_at: '9999-12-20T12:00:00Z',
    });
    const [item] = await done(org, { action: 'shift', ids: [id], days: 12 });
    assert.equal(item?.status, 400);
    assert.deepEqual(item?.problem?.errors, [
      {
        pointer: '/days',
        message: 'moves the slot of this post beyond the year 9999, the last that has four digits',
      },
    ]);
    assert.equal(await slotOf(), '9999-12-20T12:00:00Z');
    assert.deepEqual(outcomes(await done(org, { action: 'shift', ids: [id], days: 11 })), [[id, 200]]);
    assert.equal(await slotOf(), '9999-12-31T12:00:00Z');
  });

  it('unschedules', async () => {
    const org = await service.newOrganization();
    const [scheduled, draft] = [await addPostIn(service, org, 'scheduled'), await org.addPost()];
    const posted = await addPostIn(service, org, 'posted');
    const items = await done(org, { action: 'unschedule', ids: [scheduled, draft, posted] });
    assert.deepEqual(outcomes(items), [
      [scheduled, 200],
      [draft, 200],
      [posted, 409, 'wrong_state'],
    ]);
    const { status, scheduled_at } = await readPost(org, scheduled);
    assert.deepEqual([status, scheduled_at], ['draft', null]);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('deletes drafts and archived posts with files and attempts, and refuses the others', async () => {
    const org = await service.newOrganization();
    const draft = await readyPost(org);
    await addDispatch(service, org, draft, { outcome: 'failed' });
    const archived = await addPostIn(service, org, 'archived');
    const scheduled = await addPostIn(service, org, 'scheduled');
    const sent = await addPostIn(service, org, 'archived');
    await addDispatch(service, org, sent, {
      outcome: 'started',
      phase: 'sending',
      lease_until: service.clock.now() + 60_000,
    });
    assert.notDeepEqual(await storedFor(service, org), []);
    const items = await done(org, { action: 'delete', ids: [scheduled, draft, sent, archived] });
    assert.deepEqual(outcomes(items), [
      [scheduled, 409, 'wrong_state'],
      [draft, 204],
      [sent, 409, 'publish_in_progress'],
      [archived, 204],
    ]);
    assert.deepEqual(
      items.map(({ post }) => post),
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(await storedFor(service, org), []);
    for (const id of [draft, archived])
      assertProblem(await org.call('GET', `/api/v1/posts/${id}`), 404, 'not_found');
    for (const id of [scheduled, sent]) await readPost(org, id);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
    const left = await service.app.db.read
      .selectFrom('dispatches')
      .select('post_id')
      .where('org_id', '=', org.id)
      .execute();
    assert.deepEqual(left, [{ post_id: sent }]);
  });

  it('changes 100 posts', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const ids = await Promise.all(Array.from({ length: 100 }, () => org.addPost()));
    const slots = { social_account_id: account, privacy_level: 'SELF_ONLY' };
    const scheduled_at = ids.map((_, n) => soon(n + 1));
    const items = await done(org, { action: 'schedule', ids, scheduled_at, ...slots });
    assert.deepEqual(
      items.map(({ id, post }) => [id, post?.scheduled_at]),
      ids.map((id, n) => [id, scheduled_at[n]]),
    );
    assert.ok((await done(org, { action: 'unschedule', ids })).every(({ status }) => status === 200));
    assert.ok((await done(org, { action: 'delete', ids })).every(({ status }) => status === 204));
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
    assertRefused(await bulk(org, { action: 'delete', ids: [...ids, UNKNOWN_ID] }), 'ids');
  });

  it('writes the audit log and the events of requests for each post, and none for a refused one', async () => {
    const org = await service.newOrganization();
    const [first, second] = [await org.addPost(), await org.addPost()];
    const posted = await addPostIn(service, org, 'posted');
    const { status: _, scheduled_at, ...fields } = await slot(service, org);
    await done(org, {
      action: 'schedule',
      ids: [second, posted, first],
      scheduled_at: [scheduled_at, scheduled_at, soon(3)],
      ...fields,
    });
    await done(org, { action: 'shift', ids: [first, posted], days: 1 });
    await done(org, { action: 'unschedule', ids: [first, posted] });
    await done(org, { action: 'delete', ids: [first, posted] });
    assert.deepEqual(await auditOf(org), [
      ['post.scheduled', second],
      ['post.scheduled', first],
      ['post.scheduled', first],
      ['post.unscheduled', first],
      ['post.deleted', first],
    ]);
    assert.deepEqual(
      (await eventsOf(org)).map(({ type, data }) => [type, data.post_id]),
      [
        ['post.created', first],
        ['post.created', second],
        ['post.created', posted],
        ['post.scheduled', second],
        ['post.scheduled', first],
        ['post.scheduled', first],
        ['post.deleted', first],
      ],
    );
  });

  it('is done once per Idempotency-Key, refusals included', async () => {
    const org = await service.newOrganization();
    const [id, draft] = [await addPostIn(service, org, 'scheduled'), await org.addPost()];
    const body = { action: 'shift', ids: [id, draft], days: 1 };
    const key = { 'idempotency-key': 'move-once' };
    const first = await bulk(org, body, key);
    const again = await bulk(org, body, key);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal((await readPost(org, id)).scheduled_at, first.json.data[0].post.scheduled_at);
    assertProblem(await bulk(org, { ...body, days: 2 }, key), 422, 'idempotency_key_reused');
    const [gone, kept] = [await org.addPost(), await addPostIn(service, org, 'posted')];
    const deletion = { action: 'delete', ids: [gone, kept] };
    const deleted = await bulk(org, deletion, { 'idempotency-key': 'delete-once' });
    assert.deepEqual(outcomes(deleted.json.data), [
      [gone, 204],
      [kept, 409, 'wrong_state'],
    ]);
    assert.equal((await bulk(org, deletion, { 'idempotency-key': 'delete-once' })).text, deleted.text);
  });

  it('needs posts:publish to book and move slots, and posts:write alone for the rest', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const ask = (key: string, body: object) => service.request('POST', PATH, { key, body });
    const writer = await org.keyWith(['posts:write']);
    for (const body of [
      { action: 'schedule', ids: [id], scheduled_at: [soon(4)] },
      { action: 'shift', ids: [id], days: 1 },
    ]) {
      const before = await readPost(org, id);
      assertProblem(await ask(writer, body), 403, 'insufficient_scope');
      assertProblem(await ask(await org.keyWith(['posts:publish']), body), 403, 'insufficient_scope');
      assert.deepEqual(await readPost(org, id), before);
      assert.equal(
        (await ask(await org.keyWith(['posts:write', 'posts:publish']), body)).json.data[0].status,
        200,
      );
    }
    assert.equal((await ask(writer, { action: 'unschedule', ids: [id] })).json.data[0].status, 200);
    assert.equal((await ask(writer, { action: 'delete', ids: [id] })).json.data[0].status, 204);
  });

  it('names what is missing, wrong or does not belong to the action, and changes nothing', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'scheduled');
    const before = await readPost(org, id);
    const ids = [id];
    const refused = async (body: object, ...fields: string[]) =>
      assertRefused(await bulk(org, body), ...fields);
    await refused({}, 'action', 'ids');
    await refused({ action: 'archive', ids }, 'action');
    await refused({ action: 'delete', ids: [] }, 'ids');
    await refused({ action: 'delete', ids: [id, 'x'] }, 'ids/1');
    await refused({ action: 'delete', ids: [id, id] }, 'ids');
    await refused({ action: 'unschedule', ids: [id, id.toUpperCase()] }, 'ids');
    await refused({ action: 'delete', ids, force: true }, 'force');
    await refused({ action: 'delete', ids, days: 1, privacy_level: 'SELF_ONLY' }, 'days', 'privacy_level');
    await refused({ action: 'schedule', ids }, 'scheduled_at');
    await refused({ action: 'schedule', ids, scheduled_at: soon(1) }, 'scheduled_at');
    await refused({ action: 'schedule', ids, scheduled_at: [soon(1), soon(2)] }, 'scheduled_at');
    await refused({ action: 'schedule', ids, scheduled_at: ['tomorrow'] }, 'scheduled_at/0');
    await refused({ action: 'schedule', ids, scheduled_at: [soon(1)], privacy_level: null }, 'privacy_level');
    await refused({ action: 'schedule', ids, scheduled_at: [soon(1)], title: 'New', days: 1 }, 'title');
    const account = { social_account_id: UNKNOWN_ID };
    await refused({ action: 'schedule', ids, scheduled_at: [soon(1)], ...account }, 'social_account_id');
    await refused({ action: 'shift', ids }, 'days');
    for (const days of [0, 366, -366, 1.5, '1']) await refused({ action: 'shift', ids, days }, 'days');
    for (const time_zone of ['', 'Mars/Olympus', '+01:00'])
      await refused({ action: 'shift', ids, days: 1, time_zone }, 'time_zone');
    assert.deepEqual(await readPost(org, id), before);
  });

  it('serves concurrent requests that overlap in opposite orders', async () => {
    const org = await service.newOrganization();
    const ids = await Promise.all(Array.from({ length: 12 }, () => addPostIn(service, org, 'scheduled')));
    const bodies = Array.from({ length: 8 }, (_, n) => ({
      action: 'shift',
      ids: n % 2 ? ids : [...ids].reverse(),
      days: n < 4 ? 1 : 2,
    }));
    const answers = await Promise.all(bodies.map((body) => done(org, body)));
    for (const items of answers) assert.ok(items.every(({ status }) => status === 200));
    const slots = await Promise.all(ids.map(async (id) => (await readPost(org, id)).scheduled_at));
    const days = slots.map((at) => Math.round((Date.parse(at as string) - service.clock.now()) / DAY_MS));
    assert.deepEqual(new Set(days), new Set([12]));
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });
});

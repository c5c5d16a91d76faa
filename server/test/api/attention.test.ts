import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import {
  addPostIn,
  archive,
  assertProblem,
  assertRefused,
  at,
  changePost,
  failedWith,
  listIds,
  listPosts,
  readyPost,
  setPost,
  slot,
} from '../support/service/posts.js';
import { grant, WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/attention';
const HOUR_MS = 3_600_000;

const attentionOf = async (org: Organization) => (await org.sdk.posts.attention()).data;

onEngines('postgres', 'GET /api/v1/attention', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  /** A post with media, booked so many hours from now. */
  async function booked(org: Organization, accountId: string, hours: number): Promise<string> {
    const id = await readyPost(org);
    await book(org, id, accountId, hours);
    return id;
  }
  const book = async (org: Organization, id: string, accountId: string, hours: number) =>
    changePost(org, id, {
      ...(await slot(service, org, accountId)),
      scheduled_at: at(service.clock.now() + hours * HOUR_MS),
    });
  const setAccount = (
    id: string,
    fields: { status?: 'reconnect_required' | 'disconnected'; username?: string; scopes?: string },
  ) =>
    service.app.db.transact((tx) =>
      tx.updateTable('social_accounts').set(fields).where('id', '=', id).execute(),
    );
  const fail = (id: string, text: string, code: string) => setPost(service, id, failedWith(text, code));

  it('is empty when nothing needs attention, and needs posts:read', async () => {
    const org = await service.newOrganization();
    await booked(org, await org.addAccount(), 2);
    await org.addPost();
    assert.deepEqual(await attentionOf(org), []);
    const key = await org.keyWith(['posts:write']);
    assertProblem(await service.request('GET', PATH, { key }), 403, 'insufficient_scope');
    assertRefused(await org.call('GET', `${PATH}?page=1`), 'page');
  });

  it('has one row for an account that must be reconnected, however many posts wait', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    await setAccount(account, { username: 'field.notes' });
    const ids = [];
    for (const hours of [9, 3, 5, 4, 8, 6, 7]) ids.push({ id: await booked(org, account, hours), hours });
    const [waiting] = ids.filter(({ hours }) => hours === 4);
    await setAccount(account, { status: 'reconnect_required' });
    // A post whose slot has come says itself that it waits: still the same cause.
    await fail(waiting!.id, 'The post waits for its account. The grant is gone', 'access_token_invalid');
    const soonest = ids.sort((a, b) => a.hours - b.hours).map(({ id }) => id);
    const [row, ...more] = await attentionOf(org);
    assert.deepEqual(more, []);
    const { next_at, ...rest } = row!;
    assert.deepEqual(rest, {
      cause: 'account_reconnect',
      account: { id: account, username: 'field.notes' },
      count: 7,
      post_ids: soonest.slice(0, 5),
      message: 'field.notes: reconnect, 7 posts wait.',
    });
    assert.equal(next_at, (await org.call('GET', `/api/v1/posts/${soonest[0]}`)).json.data.scheduled_at);
    await setAccount(account, { status: 'disconnected' });
    const [gone] = await attentionOf(org);
    assert.deepEqual([gone?.cause, gone?.count], ['account_missing', 7]);
  });

  it('has one row for scheduled posts without media, and one for those whose upload is on its way', async () => {
    const org = await service.newOrganization();
    const [a, b, uploading] = [
      await addPostIn(service, org, 'scheduled'),
      await addPostIn(service, org, 'scheduled'),
      await addPostIn(service, org, 'scheduled'),
    ];
    await grant(org, uploading);
    const rows = await attentionOf(org);
    assert.deepEqual(rows.map(({ cause, count, message }) => [cause, count, message]).sort(), [
      ['no_media', 2, '2 scheduled posts have no media.'],
      ['upload_unfinished', 1, '1 scheduled post waits for its upload to finish.'],
    ]);
    assert.deepEqual(rows.flatMap(({ post_ids }) => post_ids).sort(), [a, b, uploading].sort());
  });

  it('has one row for each problem of the next posts, which are the posts of needs_attention', async () => {
    const org = await service.newOrganization();
    const [account, small] = [await org.addAccount(), await org.addAccount()];
    const [cover, both, fine] = [
      await booked(org, account, 2),
      await booked(org, account, 3),
      await booked(org, account, 4),
    ];
    const consent = await booked(org, small, 5);
    assert.deepEqual(await attentionOf(org), []);
    for (const id of [cover, both]) await setPost(service, id, { cover_index: 5 });
    await setPost(service, both, { brand_content_toggle: 1, privacy_level: 'SELF_ONLY' });
    await setAccount(small, { scopes: 'user.info.basic video.upload' });
    const rows = await attentionOf(org);
    assert.deepEqual(rows.map(({ cause, code, count }) => [cause, code, count]).sort(), [
      ['will_fail', 'branded_content_private', 1],
      ['will_fail', 'cover_out_of_range', 2],
      ['will_fail', 'reconnect_required', 1],
    ]);
    const row = rows.find(({ code }) => code === 'cover_out_of_range');
    assert.match(row?.message ?? '', /^2 scheduled posts will fail: The cover is slide 6/);
    assert.ok(row?.next_at);
    const named = [...new Set(rows.flatMap(({ post_ids }) => post_ids))].sort();
    assert.deepEqual(named, [cover, both, consent].sort());
    assert.deepEqual((await listIds(org, { needs_attention: true })).sort(), named);
    assert.deepEqual((await listIds(org, { needs_attention: true, q: 'post' })).sort(), named);
    const all = (await listPosts(org, { include: 'readiness' })).data;
    assert.deepEqual(
      all
        .filter(({ readiness }) => readiness?.ready === false)
        .map(({ id }) => id)
        .sort(),
      named,
    );
    assert.ok(!named.includes(fine));
  });

  it('has one row for each cause of failure', async () => {
    const org = await service.newOrganization();
    const [one, two] = [await org.addAccount(), await org.addAccount()];
    const posts = [];
    for (const social_account_id of [one, one, two, two, one])
      posts.push(await org.addPost({ social_account_id }));
    const [a, b, c, d, e] = posts as [string, string, string, string, string];
    for (const id of [a, b]) await fail(id, 'The platform refused the post', 'spam_risk');
    await fail(c, 'A slide is too small', 'picture_size_check_failed');
    await fail(d, 'The slot of 2026-12-01 18:00 UTC was missed. Schedule the post again.', 'slot_missed');
    await fail(e, 'The slot of 2026-12-02 18:00 UTC was missed. Schedule the post again.', 'slot_missed');
    const rows = await attentionOf(org);
    assert.deepEqual(
      rows.map(({ cause, code, count, message, account, next_at }) => [
        cause,
        code,
        count,
        message,
        account?.id,
        next_at,
      ]),
      [
        [
          'publish_failed',
          'slot_missed',
          2,
          '2 posts missed their slots. Schedule them again.',
          undefined,
          null,
        ],
        ['publish_failed', 'spam_risk', 2, '2 posts failed: The platform refused the post.', one, null],
        ['publish_failed', 'picture_size_check_failed', 1, 'A slide is too small.', two, null],
      ],
    );
    assert.deepEqual(rows[0]?.post_ids, [e, d]);
    // A row about one post has its title.
    const { title } = (await org.call('GET', `/api/v1/posts/${c}`)).json.data;
    assert.deepEqual(
      rows.map(({ post_title }) => post_title),
      [undefined, undefined, title],
    );
  });

  it('has one row for unknown outcomes', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'publishing');
    await addPostIn(service, org, 'publishing');
    await fail(id, 'The outcome is not known', 'outcome_unknown');
    const [row, ...more] = await attentionOf(org);
    assert.deepEqual([row?.cause, row?.post_ids, row?.next_at, more], ['outcome_unknown', [id], null, []]);
  });

  it('has one row for drafts with a time that has passed, and warns of it before', async () => {
    const org = await service.newOrganization();
    const id = await readyPost(org);
    const other = await org.addPost({ title: 'Maps' });
    for (const [post, hours] of [
      [id, 1],
      [other, 2],
    ] as const)
      await changePost(org, post, { scheduled_at: at(service.clock.now() + hours * HOUR_MS) });
    const { json } = await org.call('GET', `/api/v1/posts/${id}/preflight`);
    const [warning] = (json.data.problems as { code: string; level: string; pointer: string }[]).filter(
      ({ code }) => code === 'time_without_slot',
    );
    assert.deepEqual([warning?.level, warning?.pointer], ['warning', '/scheduled_at']);
    assert.deepEqual(await attentionOf(org), []);
    service.clock.advance(3 * HOUR_MS);
    try {
      const rows = await attentionOf(org);
      assert.deepEqual(
        rows.map(({ cause, count, post_ids, next_at }) => [cause, count, post_ids, next_at]),
        [['time_without_slot', 2, [other, id], null]],
      );
      for (const q of [{}, { q: 'maps' }])
        assert.deepEqual(await listIds(org, { needs_attention: true, ...q }), [other, id]);
      await changePost(org, id, { scheduled_at: null });
      await archive(org, other);
      assert.deepEqual([await attentionOf(org), await listIds(org, { needs_attention: true })], [[], []]);
    } finally {
      service.clock.resume();
    }
  });

  it('puts first what is due within a day, then what has failed, then what is due later', async () => {
    const org = await service.newOrganization();
    const [later, soon] = [await org.addAccount(), await org.addAccount()];
    await booked(org, later, 100);
    await booked(org, soon, 10);
    await book(org, await org.addPost(), await org.addAccount(), 5);
    await fail(await org.addPost(), 'The platform refused the post', 'spam_risk');
    const unknown = await addPostIn(service, org, 'publishing');
    await fail(unknown, 'The outcome is not known', 'outcome_unknown');
    for (const id of [later, soon]) await setAccount(id, { status: 'reconnect_required' });
    assert.deepEqual(
      (await attentionOf(org)).map(({ cause, account }) => [cause, account?.id ?? null]),
      [
        ['no_media', null],
        ['account_reconnect', soon],
        ['outcome_unknown', null],
        ['publish_failed', null],
        ['account_reconnect', later],
      ],
    );
  });

  it('shows the same posts as the list, and none that are archived or of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const account = await org.addAccount();
    await booked(org, account, 3);
    await addPostIn(service, org, 'scheduled');
    const archived = await addPostIn(service, org, 'scheduled');
    const failed = await org.addPost();
    await fail(failed, 'Refused', 'spam_risk');
    await archive(org, archived);
    await setAccount(account, { status: 'reconnect_required' });
    const shown = (await attentionOf(org)).flatMap(({ post_ids }) => post_ids);
    assert.deepEqual(shown.sort(), (await listIds(org, { needs_attention: true })).sort());
    assert.equal(shown.length, 3);
    await archive(org, ...shown);
    assert.deepEqual(await attentionOf(org), []);
    assert.deepEqual(await attentionOf(other), []);
  });
});

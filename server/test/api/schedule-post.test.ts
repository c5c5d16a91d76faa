import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  analyticsOf,
  assertRefused,
  at,
  changePost,
  listIds,
  readPost,
  slot,
} from '../support/service/posts.js';

const NOON = Date.parse('2030-01-01T12:00:00Z');
const MINUTE_MS = 60_000;

onEngines('sqlite', 'Scheduling by PATCH', (engine) => {
  const service = useService(engine);
  beforeEach(() => service.clock.stopAt(NOON));
  afterEach(() => service.clock.resume());

  it('books a slot with status, time, account and privacy level in one request', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const before = await readPost(org, id);
    const body = await slot(service, org);
    assert.deepEqual(await changePost(org, id, body), { ...before, ...body });
    assert.deepEqual(await listIds(org, { status: 'scheduled' }), [id]);
    assert.equal((await analyticsOf(org)).scheduled, 1);
  });

  it('stores the toggles with it, and leaves absent ones off', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const toggles = { disable_comment: true, disable_stitch: true, brand_organic_toggle: true };
    const post = await changePost(org, id, { ...(await slot(service, org)), ...toggles });
    assert.deepEqual(post, { ...post, ...toggles, disable_duet: false, brand_content_toggle: false });
  });

  it('books with what was stored before: time, account and privacy level one by one', async () => {
    const org = await service.newOrganization();
    const { status, ...stored } = await slot(service, org);
    const id = await org.addPost({ social_account_id: stored.social_account_id });
    await changePost(org, id, { privacy_level: stored.privacy_level });
    assert.equal((await changePost(org, id, { scheduled_at: stored.scheduled_at })).status, 'draft');
    const post = await changePost(org, id, { status });
    assert.deepEqual(post, { ...post, status, ...stored });
  });

  for (const field of ['scheduled_at', 'social_account_id', 'privacy_level'] as const)
    it(`needs ${field}, given now or stored before, and names it`, async () => {
      const org = await service.newOrganization();
      const id = await org.addPost();
      const { [field]: _missing, ...body } = await slot(service, org);
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, body), field);
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { ...body, [field]: null }), field);
      assert.equal((await readPost(org, id)).status, 'draft');
    });

  it('names everything that is missing at once', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const answer = await org.call('PATCH', `/api/v1/posts/${id}`, { status: 'scheduled' });
    assertRefused(answer, 'scheduled_at', 'social_account_id', 'privacy_level');
  });

  it('refuses an account that is unknown, foreign or disconnected', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const id = await org.addPost();
    const refused = [service.app.newId(), await other.addAccount(), await org.addAccount('disconnected')];
    for (const account of refused) {
      const answer = await org.call('PATCH', `/api/v1/posts/${id}`, await slot(service, org, account));
      assertRefused(answer, 'social_account_id');
    }
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  for (const [now, earliest, tooEarly] of [
    ['2030-01-01T12:00:00.000Z', '2030-01-01T12:05:00Z', '2030-01-01T12:04:59Z'],
    ['2030-01-01T12:00:00.001Z', '2030-01-01T12:05:00Z', '2030-01-01T12:04:59.999Z'],
    ['2030-01-01T12:00:00.999Z', '2030-01-01T12:05:00.000Z', '2030-01-01T12:04:59.999Z'],
  ] as const)
    it(`takes ${earliest} and refuses ${tooEarly} when it is ${now}`, async () => {
      service.clock.stopAt(Date.parse(now));
      const org = await service.newOrganization();
      const id = await org.addPost();
      const body = await slot(service, org);
      const refused = await org.call('PATCH', `/api/v1/posts/${id}`, { ...body, scheduled_at: tooEarly });
      assertRefused(refused, 'scheduled_at');
      const post = await changePost(org, id, { ...body, scheduled_at: earliest });
      assert.equal(post.scheduled_at, '2030-01-01T12:05:00Z');
    });

  it('refuses the present and the past, however long ago', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const body = await slot(service, org);
    for (const scheduled_at of [at(NOON), at(NOON - 1000), '2029-12-31T23:59:59Z', '1970-01-01T00:00:00Z'])
      assertRefused(
        await org.call('PATCH', `/api/v1/posts/${id}`, { ...body, scheduled_at }),
        'scheduled_at',
      );
  });

  it('refuses the epoch (0) like any other past time, for a draft that merely stores it', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const past = { scheduled_at: '1970-01-01T00:00:00Z' };
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, past), 'scheduled_at');
  });

  it('checks the time that a draft merely stores, too', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const tooEarly = { scheduled_at: at(NOON + 5 * MINUTE_MS - 1000) };
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, tooEarly), 'scheduled_at');
    const post = await changePost(org, id, { scheduled_at: at(NOON + 5 * MINUTE_MS) });
    assert.equal(post.scheduled_at, at(NOON + 5 * MINUTE_MS));
    assert.equal(post.status, 'draft');
  });

  it('refuses to book a stored time that has come too near meanwhile', async () => {
    const org = await service.newOrganization();
    const { status, ...stored } = await slot(service, org);
    const id = await org.addPost();
    await changePost(org, id, stored);
    service.clock.advance(55 * MINUTE_MS + 1000);
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { status }), 'scheduled_at');
    assert.equal((await readPost(org, id)).status, 'draft');
  });

  for (const [sent, meant] of [
    ['2030-01-01T13:00:00Z', '2030-01-01T13:00:00Z'],
    ['2030-01-01T15:00:00+02:00', '2030-01-01T13:00:00Z'],
    ['2030-01-01T07:30:00-0530', '2030-01-01T13:00:00Z'],
    ['2030-01-02T01:00:00+12', '2030-01-01T13:00:00Z'],
    ['2030-01-01T13:00Z', '2030-01-01T13:00:00Z'],
    ['2030-01-01T13:00:00.987654Z', '2030-01-01T13:00:00Z'],
    ['2032-02-29T00:30:00+01:00', '2032-02-28T23:30:00Z'],
  ] as const)
    it(`takes ${sent} and answers ${meant}`, async () => {
      const org = await service.newOrganization();
      const id = await org.addPost();
      const post = await changePost(org, id, { ...(await slot(service, org)), scheduled_at: sent });
      assert.equal(post.scheduled_at, meant);
      assert.equal((await readPost(org, id)).scheduled_at, meant);
    });

  it('measures the five minutes across offsets', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const body = await slot(service, org);
    for (const scheduled_at of [
      '2030-01-01T14:04:59+02:00',
      '2030-01-01T06:34:59-0530',
      '2030-01-01T13:59:59+02:00',
    ])
      assertRefused(
        await org.call('PATCH', `/api/v1/posts/${id}`, { ...body, scheduled_at }),
        'scheduled_at',
      );
    for (const scheduled_at of ['2030-01-01T14:05:00+02:00', '2030-01-01T06:35:00-0530'])
      assert.equal(
        (await changePost(org, id, { ...body, scheduled_at })).scheduled_at,
        '2030-01-01T12:05:00Z',
      );
  });

  it('refuses a time that is not an ISO 8601 date-time with an offset', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const body = await slot(service, org);
    for (const scheduled_at of [
      '',
      'tomorrow',
      '2031-01-01',
      '2031-01-01T13:00:00', // local time, without an offset
      '2031-01-01 13:00:00Z',
      '2031-02-30T13:00:00Z',
      '2031-02-29T13:00:00Z',
      '2031-13-01T13:00:00Z',
      '2031-00-10T13:00:00Z',
      '2031-01-01T25:00:00Z',
      '2031-01-01T13:60:00Z',
      '2031-01-01T13:00:00+25:00',
      '2031-01-01T13:00:00 CET',
      'Wed, 01 Jan 2031 13:00:00 GMT',
      ' 2031-01-01T13:00:00Z',
      '2031-01-01T13:00:00Z\n',
      '1925038800',
      1925038800,
      true,
      {},
    ]) {
      const answer = await org.call('PATCH', `/api/v1/posts/${id}`, { ...body, scheduled_at });
      assertRefused(answer, 'scheduled_at');
    }
    assert.equal((await readPost(org, id)).scheduled_at, null);
  });

  it('accepts only scheduled and draft as status', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    for (const status of ['publishing', 'posted', 'archived', 'Scheduled', '', null, 1]) {
      const answer = await org.call('PATCH', `/api/v1/posts/${id}`, {
        ...(await slot(service, org)),
        status,
      });
      assertRefused(answer, 'status');
    }
  });

  it('needs no media to book a slot', async () => {
    const org = await service.newOrganization();
    for (const post_type of ['slides', 'video'])
      assert.equal(
        (await changePost(org, await org.addPost({ post_type }), await slot(service, org))).status,
        'scheduled',
      );
  });

  it('refuses branded content that is private', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const body = { ...(await slot(service, org)), privacy_level: 'SELF_ONLY', brand_content_toggle: true };
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, body), 'privacy_level');
  });
});

onEngines('sqlite', 'SCHEDULE_MIN_LEAD_SECONDS', (engine) => {
  const service = useService(engine, { env: { SCHEDULE_MIN_LEAD_SECONDS: '2' } });
  afterEach(() => service.clock.resume());

  it('sets how far ahead a slot must be', async () => {
    service.clock.stopAt(NOON);
    const org = await service.newOrganization();
    const id = await org.addPost();
    const body = await slot(service, org);
    const tooEarly = { ...body, scheduled_at: at(NOON + 1000) };
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, tooEarly), 'scheduled_at');
    const post = await changePost(org, id, { ...body, scheduled_at: at(NOON + 2000) });
    assert.equal(post.scheduled_at, at(NOON + 2000));
  });
});

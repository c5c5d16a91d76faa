// Webhooks over time: what receivers get, whatever happens to them and to the service.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { sealSecret } from '../../src/events/webhooks/signature.js';
import { sweepDeliveries } from '../../src/events/webhooks/sweep.js';
import { declareRestored } from '../../src/operator/safe-mode-commands.js';
import { sweep } from '../../src/worker/sweep.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { ALLOW, addWebhook, type Received, Receiver, sendAll, verify } from '../support/service/webhooks.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

onEngines('postgres', 'Webhooks', (engine) => {
  // No worker: the tests say when it runs.
  const service = useService(engine, {
    command: 'api',
    env: { ...ALLOW, SOCIAL_API_URL: 'http://127.0.0.1:1', PUBLIC_URL: 'http://127.0.0.1:1' },
  });
  const receiver = new Receiver();
  let org: Organization;
  before(() => receiver.start());
  after(() => receiver.stop());
  beforeEach(async () => {
    service.clock.resume();
    receiver.received.length = 0;
    receiver.answer = (response) => response.end('ok');
    // Those of earlier tests would send to the same receiver.
    await service.app.db.transact((tx) => tx.updateTable('webhook_endpoints').set({ enabled: 0 }).execute());
    org = await service.newOrganization();
  });

  const deliveries = async (id: string) =>
    (await org.call('GET', `/api/v1/webhooks/${id}/deliveries?per_page=100`)).json.data;
  const get = async (id: string) => (await org.call('GET', `/api/v1/webhooks/${id}`)).json.data;
  const remove = (post: string) => org.call('DELETE', `/api/v1/posts/${post}`);
  const fail = (status: number, headers = {}) => {
    receiver.answer = (response) => response.writeHead(status, headers).end('no');
  };
  /** Moves the clock on and sends what is due, in steps. */
  const pass = async (ms: number, step: number) => {
    for (let passed = 0; passed < ms; passed += step) {
      service.clock.advance(step);
      await sendAll(service);
    }
  };
  const idsToBodies = (received: Received[]) => {
    const bodies = new Map<string, Set<string>>();
    for (const { headers, body } of received) {
      const id = String(headers['webhook-id']);
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    }
    return bodies;
  };

  it('carry each event, signed, with the data of the list of events', async () => {
    await org.addPost();
    const { id, secret } = await addWebhook(org, `${receiver.url}/a`);
    const post = await org.addPost();
    await remove(post);
    await sendAll(service);
    const { json } = await org.call('GET', '/api/v1/events');
    const events = json.data.slice(1);
    assert.deepEqual(receiver.types(), ['post.created', 'post.deleted']);
    for (const [i, got] of receiver.received.entries()) {
      verify(service, secret, got);
      const { id: eventId, type, created_at: timestamp, data } = events[i];
      assert.deepEqual(got.message, {
        id: got.headers['webhook-id'],
        type,
        timestamp,
        data,
        event_id: eventId,
      });
      assert.deepEqual(data, { post_id: post });
      assert.equal(got.path, '/a');
      assert.equal(got.headers['content-type'], 'application/json');
      assert.throws(() => verify(service, `whsec_${'A'.repeat(43)}=`, got));
    }
    const log = await deliveries(id);
    assert.deepEqual(
      log.map((one: { state: string; attempts: object[] }) => [one.state, one.attempts.length]),
      [
        ['delivered', 1],
        ['delivered', 1],
      ],
    );
    assert.equal(log[0].body, receiver.received[1]?.body);
    assert.equal(log[0].attempts[0].status, 200);
    assert.equal(log[0].attempts[0].response, 'ok');
  });

  it('carry only the wanted types, and the same message to every endpoint', async () => {
    await addWebhook(org, `${receiver.url}/all`);
    await addWebhook(org, `${receiver.url}/deleted`, { types: ['post.deleted'] });
    await remove(await org.addPost());
    await sendAll(service);
    const of = (path: string) => receiver.received.filter((one) => one.path === path);
    assert.deepEqual(
      of('/all').map(({ message }) => message.type),
      ['post.created', 'post.deleted'],
    );
    assert.deepEqual(
      of('/deleted').map(({ body }) => body),
      [of('/all')[1]?.body],
    );
    assert.equal(of('/deleted')[0]?.headers['webhook-id'], of('/all')[1]?.headers['webhook-id']);
  });

  it('arrive completely and in order per post after an hour without a receiver, each id with one body', async () => {
    const { secret } = await addWebhook(org, receiver.url);
    receiver.answer = (response) => response.destroy();
    const posts: string[] = [];
    for (let i = 0; i < 6; i++) {
      const post = await org.addPost();
      posts.push(post);
      await remove(post);
      await pass(10 * MINUTE, 5 * MINUTE);
    }
    const lost = receiver.received.length;
    assert.ok(lost >= 6);
    let verified = 0;
    receiver.answer = (response, got) => {
      verify(service, secret, got);
      verified++;
      response.end();
    };
    await pass(4 * HOUR, HOUR / 2);
    const arrived = receiver.received.slice(lost);
    for (const post of posts)
      assert.deepEqual(
        arrived.filter(({ message }) => message.data.post_id === post).map(({ message }) => message.type),
        ['post.created', 'post.deleted'],
      );
    assert.equal(arrived.length, 12);
    assert.equal(verified, 12);
    for (const [id, bodies] of idsToBodies(receiver.received)) assert.equal(bodies.size, 1, id);
    assert.equal(idsToBodies(receiver.received).size, 12);
  });

  it('are repeated for three days with growing delays, and then given up; the next about the post follows', async () => {
    const { id } = await addWebhook(org, receiver.url);
    fail(500);
    const post = await org.addPost();
    await remove(post);
    await sendAll(service);
    const began = service.clock.now();
    service.clock.stopAt(began);
    await pass(100 * HOUR, 15 * MINUTE);
    const [deleted, created] = await deliveries(id);
    assert.equal(created.state, 'failed');
    assert.equal(created.attempt_count, 10);
    const took = Date.parse(created.settled_at) - began;
    assert.ok(took > 75 * HOUR && took < 95 * HOUR, `${took / HOUR} hours`);
    assert.ok(deleted.attempt_count > 0 && deleted.state === 'pending');
    const types = receiver.types();
    assert.equal(types.lastIndexOf('post.created') < types.indexOf('post.deleted'), true);
    assert.ok((await get(id)).failing_since);
    receiver.answer = (response) => response.end();
    await pass(30 * HOUR, HOUR);
    assert.equal((await deliveries(id))[0].state, 'delivered');
    assert.equal((await get(id)).failing_since, null);
  });

  it('wait as long as the receiver asks', async () => {
    const { id } = await addWebhook(org, receiver.url);
    fail(429, { 'retry-after': '7200' });
    await org.addPost();
    await sendAll(service);
    const [first] = await deliveries(id);
    const wait = Date.parse(first.next_attempt_at) - Date.parse(first.attempts[0].at);
    assert.ok(Math.abs(wait - 2 * HOUR) < MINUTE, `${wait}`);
    await pass(HOUR, HOUR / 4);
    assert.equal(receiver.received.length, 1);
    receiver.answer = (response) => response.end();
    await pass(2 * HOUR, HOUR / 4);
    assert.equal(receiver.received.length, 2);
  });

  it('count a redirect as a failure and do not follow it', async () => {
    const { id } = await addWebhook(org, `${receiver.url}/from`);
    fail(302, { location: `${receiver.url}/to` });
    await org.addPost();
    await sendAll(service);
    assert.deepEqual(
      receiver.received.map(({ path }) => path),
      ['/from'],
    );
    assert.equal((await deliveries(id))[0].attempts[0].status, 302);
  });

  it('are signed with both secrets for a day after a rotation', async () => {
    const { id, secret } = await addWebhook(org, receiver.url);
    const rotated = (await org.call('POST', `/api/v1/webhooks/${id}/rotate`)).json.data;
    assert.match(rotated.secret, /^whsec_/);
    assert.notEqual(rotated.secret, secret);
    await org.addPost();
    await sendAll(service);
    const [both] = receiver.received as [Received];
    verify(service, secret, both);
    verify(service, rotated.secret, both);
    service.clock.advance(DAY + 1000);
    await org.addPost();
    await sendAll(service);
    const last = receiver.received.at(-1) as Received;
    verify(service, rotated.secret, last);
    assert.throws(() => verify(service, secret, last));
    assert.equal((await get(id)).previous_secret_until, null);
  });

  it('are signed with every secret that was replaced in the last 24 hours, at most five; a sixth rotation is 409', async () => {
    const { id, secret } = await addWebhook(org, receiver.url);
    const secrets: string[] = [secret];
    const rotate = () => org.call('POST', `/api/v1/webhooks/${id}/rotate`);
    for (let i = 0; i < 5; i++) {
      secrets.push((await rotate()).json.data.secret);
      service.clock.advance(HOUR);
    }
    const refused = await rotate();
    assert.deepEqual([refused.status, refused.json.code], [409, 'limit_reached']);
    /** Which of the secrets the next message is signed with. */
    const signers = async () => {
      await org.addPost();
      await sendAll(service);
      const last = receiver.received.at(-1) as Received;
      return secrets.flatMap((secret, n) => {
        try {
          verify(service, secret, last);
          return [n];
        } catch {
          return [];
        }
      });
    };
    assert.deepEqual(await signers(), [0, 1, 2, 3, 4, 5]);
    assert.equal((await org.call('POST', `/api/v1/webhooks/${id}/test`)).json.data.delivered, true);
    const tested = receiver.received.at(-1) as Received;
    assert.equal(String(tested.headers['webhook-signature']).split(' ').length, 6);
    // The first was replaced five hours ago, the last one hour ago.
    service.clock.advance(19 * HOUR + 1000);
    assert.deepEqual(await signers(), [1, 2, 3, 4, 5]);
    secrets.push((await rotate()).json.data.secret);
    assert.deepEqual(await signers(), [1, 2, 3, 4, 5, 6]);
    service.clock.advance(4 * HOUR);
    await sweep(service.app);
    assert.deepEqual(await signers(), [5, 6]);
    await org.call('DELETE', `/api/v1/webhooks/${id}`);
    const left = service.app.db.read
      .selectFrom('webhook_previous_secrets')
      .selectAll()
      .where('endpoint_id', '=', id);
    assert.deepEqual(await left.execute(), []);
  });

  it('keep the signatures of replaced secrets when a process of the version before rotates', async () => {
    const { id, secret } = await addWebhook(org, receiver.url);
    const second = (await org.call('POST', `/api/v1/webhooks/${id}/rotate`)).json.data.secret;
    const sealed = sealSecret(service.app.seal, { org_id: org.id, id }, 'whsec_dGhpcmQ=');
    await service.app.db.transact((tx) =>
      tx
        .updateTable('webhook_endpoints')
        .set((eb) => ({
          secret: sealed,
          previous_secret: eb.ref('secret'),
          previous_until: service.clock.now() + DAY,
        }))
        .where('id', '=', id)
        .execute(),
    );
    await org.addPost();
    await sendAll(service);
    for (const valid of [secret, second, 'whsec_dGhpcmQ='])
      verify(service, valid, receiver.received.at(-1) as Received);
  });

  it('end when the receiver says that it is gone, and the organization is told', async () => {
    const other = new Receiver();
    await other.start();
    try {
      const { id } = await addWebhook(org, receiver.url);
      await addWebhook(org, other.url, { types: ['webhook.disabled'] });
      fail(410);
      await org.addPost();
      await sendAll(service);
      const webhook = await get(id);
      assert.deepEqual([webhook.enabled, webhook.disabled_reason], [false, 'gone']);
      await org.addPost();
      await pass(HOUR, HOUR);
      assert.equal(receiver.received.length, 1);
      assert.deepEqual(
        other.received.map(({ message }) => [message.type, message.data.webhook_id]),
        [['webhook.disabled', id]],
      );
      const { json } = await org.call('GET', '/api/v1/audit?action=webhook.disabled');
      assert.equal(json.data[0].target.id, id);
    } finally {
      await other.stop();
    }
  });

  it('end after five days of nothing but failures', async () => {
    const { id } = await addWebhook(org, receiver.url);
    fail(500);
    await org.addPost();
    await sendAll(service);
    for (let day = 1; day <= 5; day++) {
      assert.equal((await get(id)).enabled, true, `after ${day - 1} days`);
      await org.addPost();
      await pass(DAY, 4 * HOUR);
    }
    await pass(DAY, 4 * HOUR);
    assert.equal((await get(id)).disabled_reason, 'failing');
  });

  it('start again with the next event when they are enabled, and recover what was missed', async () => {
    const { id } = await addWebhook(org, receiver.url);
    await org.addPost();
    await sendAll(service);
    const since = new Date(service.clock.now() - HOUR).toISOString();
    await org.call('PATCH', `/api/v1/webhooks/${id}`, { enabled: false });
    const missed = await org.addPost();
    await sendAll(service);
    const refused = await org.call('POST', `/api/v1/webhooks/${id}/recover`, { since });
    assert.deepEqual([refused.status, refused.json.code], [409, 'webhook_disabled']);
    await org.call('PATCH', `/api/v1/webhooks/${id}`, { enabled: true });
    await sendAll(service);
    assert.equal(receiver.received.length, 1);
    await remove(missed);
    fail(500);
    await sendAll(service);
    receiver.received.length = 0;
    receiver.answer = (response) => response.end();
    const recovered = await org.call('POST', `/api/v1/webhooks/${id}/recover`, { since });
    assert.deepEqual([recovered.status, recovered.json.data], [200, { events: 3 }]);
    await pass(HOUR, HOUR);
    assert.deepEqual(
      receiver.received.map(({ message }) => [message.type, message.data.post_id]),
      [
        ['post.created', missed],
        ['post.deleted', missed],
      ],
    );
    // Again: nothing is left to recover.
    await org.call('POST', `/api/v1/webhooks/${id}/recover`, { since });
    await pass(HOUR, HOUR);
    assert.equal(receiver.received.length, 2);
  });

  it('recover what failed', async () => {
    const { id } = await addWebhook(org, receiver.url);
    fail(500);
    await org.addPost();
    await sendAll(service);
    await pass(95 * HOUR, HOUR);
    assert.equal((await deliveries(id))[0].state, 'failed');
    receiver.answer = (response) => response.end();
    const since = new Date(service.clock.now() - 5 * DAY).toISOString();
    await org.call('POST', `/api/v1/webhooks/${id}/recover`, { since });
    await sendAll(service);
    assert.equal((await deliveries(id))[0].state, 'delivered');
    assert.equal(idsToBodies(receiver.received).size, 1);
  });

  it('replay a delivery under its id, with a new timestamp', async () => {
    const { id, secret } = await addWebhook(org, receiver.url);
    await org.addPost();
    await sendAll(service);
    const [delivery] = await deliveries(id);
    service.clock.advance(HOUR);
    const replayed = await org.call('POST', `/api/v1/webhooks/${id}/deliveries/${delivery.id}/replay`);
    assert.deepEqual([replayed.status, replayed.json.data.state], [200, 'pending']);
    await sendAll(service);
    const [first, second] = receiver.received as [Received, Received];
    assert.equal(second.body, first.body);
    assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
    const timestamp = ({ headers }: Received) => Number(headers['webhook-timestamp']);
    assert.ok(timestamp(second) - timestamp(first) >= 3600);
    verify(service, secret, second);
    const [after] = await deliveries(id);
    assert.deepEqual([after.state, after.attempt_count, after.attempts.length], ['delivered', 2, 2]);
  });

  it('test an endpoint at once, signed, and in no log', async () => {
    const { id, secret } = await addWebhook(org, receiver.url);
    receiver.answer = (response) => response.writeHead(500).end('broken\u0000');
    const failed = await org.call('POST', `/api/v1/webhooks/${id}/test`);
    const { ms, at, ...result } = failed.json.data;
    assert.deepEqual(result, { delivered: false, status: 500, error: null, response: 'broken\ufffd' });
    assert.ok(Number.isInteger(ms) && at);
    receiver.answer = (response) => response.end('ok');
    const key = { 'idempotency-key': 'test-1' };
    const done = await org.call('POST', `/api/v1/webhooks/${id}/test`, undefined, key);
    assert.equal(done.json.data.delivered, true);
    const again = await org.call('POST', `/api/v1/webhooks/${id}/test`, undefined, key);
    assert.equal(again.text, done.text);
    assert.deepEqual(receiver.types(), ['webhook.test', 'webhook.test']);
    verify(service, secret, receiver.received[1] as Received);
    assert.deepEqual(await deliveries(id), []);
    assert.deepEqual((await org.call('GET', '/api/v1/events')).json.data, []);
  });

  it('tell why no response came', async () => {
    const closed = new Receiver();
    await closed.start();
    await closed.stop();
    const { id } = await addWebhook(org, closed.url);
    const { delivered, status, error } = (await org.call('POST', `/api/v1/webhooks/${id}/test`)).json.data;
    assert.deepEqual([delivered, status], [false, null]);
    assert.match(error, /ECONNREFUSED/);
  });

  it('expire after 30 days, and what waited for one that expires is sent', async () => {
    const { id } = await addWebhook(org, receiver.url);
    fail(500);
    const post = await org.addPost();
    await sendAll(service);
    await org.call('PATCH', `/api/v1/webhooks/${id}`, { enabled: false });
    await org.call('PATCH', `/api/v1/webhooks/${id}`, { enabled: true });
    service.clock.advance(20 * DAY);
    await remove(post);
    await sendAll(service);
    service.clock.advance(11 * DAY);
    receiver.received.length = 0;
    await service.app.db.transact((tx) =>
      tx
        .updateTable('webhook_deliveries')
        .set({ next_at: null })
        .where('type', '=', 'post.deleted')
        .execute(),
    );
    await sweepDeliveries(service.app, service.clock.now(), 500);
    receiver.answer = (response) => response.end();
    await sendAll(service);
    assert.deepEqual(receiver.types(), ['post.deleted']);
    const attempts = await service.app.db.read
      .selectFrom('webhook_attempts')
      .select('delivery_id')
      .where('org_id', '=', org.id)
      .execute();
    const left = (await deliveries(id)).map((one: { id: string }) => one.id);
    assert.ok(attempts.every(({ delivery_id }) => left.includes(delivery_id)));
  });

  it('send nothing of what was deleted with its endpoint', async () => {
    const { id } = await addWebhook(org, receiver.url);
    fail(500);
    await org.addPost();
    await sendAll(service);
    assert.equal((await org.call('DELETE', `/api/v1/webhooks/${id}`)).status, 204);
    await org.addPost();
    await pass(DAY, 6 * HOUR);
    assert.equal(receiver.received.length, 1);
    assert.equal((await org.call('GET', `/api/v1/webhooks/${id}/deliveries`)).status, 404);
  });

  // Last: the service stays in safe mode.
  it('are paused in safe mode', async () => {
    const { id } = await addWebhook(org, receiver.url);
    await org.addPost();
    await declareRestored(service.app, null);
    await org.addPost();
    await sendAll(service).catch(() => {});
    assert.equal(receiver.received.length, 0);
    const tested = await org.call('POST', `/api/v1/webhooks/${id}/test`);
    assert.deepEqual([tested.status, tested.json.code], [503, 'safe_mode']);
  });
});

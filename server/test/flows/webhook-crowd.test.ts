// Endpoints that hang delay no other, and a worker sends events by itself.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, it } from 'node:test';
import type { App } from '../../src/app/app.js';
import { createFanOut } from '../../src/events/webhooks/fan-out.js';
import { createSender } from '../../src/events/webhooks/sender.js';
import { type Loop, startLoop } from '../../src/worker/loop.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';
import { ALLOW, addWebhook, fanOutAll, Receiver } from '../support/service/webhooks.js';

const ORGANIZATIONS = 10;
const PER_ORGANIZATION = 20;
const EVENTS = 1;

onEngines('postgres', 'Of 200 endpoints, 50 of which hang,', (engine) => {
  const service = useService(engine, { ...WITHOUT_WORKER, env: { ...WITHOUT_WORKER.env, ...ALLOW } });
  const receiver = new Receiver();
  const hanging: ServerResponse[] = [];
  before(() => receiver.start());
  after(() => receiver.stop());

  it('the others get everything while those still hang', async () => {
    receiver.answer = (response, { path }) => {
      if (path.startsWith('/hangs')) hanging.push(response);
      else response.end();
    };
    for (let i = 0; i < ORGANIZATIONS; i++) {
      const org = await service.newOrganization();
      for (let k = 0; k < PER_ORGANIZATION; k++)
        await addWebhook(org, `${receiver.url}/${k < 5 ? 'hangs' : 'well'}/${i}/${k}`);
      for (let n = 0; n < EVENTS; n++) await org.addPost();
    }
    await fanOutAll(service);
    // However slow the machine is, those that hang do so until the end of the test.
    const { open, refusal } = service.app.outbound;
    const patient: typeof open = (url, request) => open(url, { ...request, timeoutMs: 600_000 });
    const app = { ...service.app, outbound: { refusal, open: patient } };
    const sender = createSender(app, () => loop.wake());
    const plan = { name: 'webhooks', everyMs: 50, run: () => sender.startDue() };
    const loop: Loop = startLoop(plan, app.log);
    const well = () => receiver.received.filter(({ path }) => path.startsWith('/well'));
    const expected = ORGANIZATIONS * (PER_ORGANIZATION - 5) * EVENTS;
    await until('the others have everything', () => well().length >= expected);
    assert.equal(well().length, expected);
    // Each of the others hangs in one request, and none was answered or given up.
    assert.equal(hanging.length, ORGANIZATIONS * 5);
    assert.ok(hanging.every(({ writableEnded, destroyed }) => !writableEnded && !destroyed));
    for (const response of hanging) response.end();
    receiver.answer = (response) => response.end();
    await until('all have everything', () => receiver.received.length >= 200 * EVENTS);
    await loop.stop();
    await sender.stop();
  });
});

onEngines('postgres', 'Endpoints that hang', (engine) => {
  const service = useService(engine, { ...WITHOUT_WORKER, env: { ...WITHOUT_WORKER.env, ...ALLOW } });
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver.stop());

  it('stand in front of no other, even if there are more than places and than one page of them', async () => {
    const hanging: ServerResponse[] = [];
    receiver.answer = (response, { path }) => {
      if (path === '/hangs') hanging.push(response);
      else response.end();
    };
    const well = await service.newOrganization();
    await addWebhook(well, `${receiver.url}/well`);
    const { open, refusal } = service.app.outbound;
    const patient: typeof open = (url, request) => open(url, { ...request, timeoutMs: 600_000 });
    const app = { ...service.app, outbound: { refusal, open: patient } };
    const sender = createSender(app, () => {}, { page: 3, perHalf: 4 });
    await well.addPost();
    await fanOutAll(service);
    await sender.startDue();
    await sender.idle();
    const org = await service.newOrganization();
    for (let i = 0; i < 12; i++) await addWebhook(org, `${receiver.url}/hangs`);
    await org.addPost();
    await fanOutAll(service);
    service.clock.advance(1_000);
    await well.addPost();
    await fanOutAll(service);
    await sender.startDue();
    // One organization has at most half of the places of its kind.
    await until('the other has its second message', () => receiver.received.length === 2 + 2);
    assert.equal(receiver.received.filter(({ path }) => path === '/well').length, 2);
    assert.equal(hanging.length, 2);
    for (const response of hanging) response.end();
    receiver.answer = (response) => response.end();
    await sender.stop();
  });
});

onEngines('sqlite', 'Endpoints that have accepted everything and then take long', (engine) => {
  const service = useService(engine, { ...WITHOUT_WORKER, env: { ...WITHOUT_WORKER.env, ...ALLOW } });
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver.stop());

  it('leave places to other organizations, whether these were sent something before or not', async () => {
    const waiting: ServerResponse[] = [];
    let areSlow = false;
    receiver.answer = (response, { path }) => {
      if (areSlow && path === '/slow') waiting.push(response);
      else response.end();
    };
    const { open, refusal } = service.app.outbound;
    const patient: typeof open = (url, request) => open(url, { ...request, timeoutMs: 600_000 });
    const app = { ...service.app, outbound: { refusal, open: patient } };
    const sender = createSender(app, () => {}, { page: 100, perHalf: 16 });
    const send = async () => {
      await fanOutAll(service);
      await sender.startDue();
    };
    const slow = [await service.newOrganization(), await service.newOrganization()];
    for (const org of slow) for (let i = 0; i < 8; i++) await addWebhook(org, `${receiver.url}/slow`);
    const known = await service.newOrganization();
    await addWebhook(known, `${receiver.url}/known`);
    for (const org of [...slow, known]) await org.addPost();
    await fanOutAll(service);
    for (let round = 0; round < 4; round++) {
      await sender.startDue();
      await sender.idle();
    }
    assert.equal(receiver.received.length, 2 * 8 + 1);
    areSlow = true;
    for (const org of slow) for (let n = 0; n < 4; n++) await org.addPost();
    await send();
    await until('the slow ones have all they can get', () => waiting.length >= 8);
    const fresh = await service.newOrganization();
    await addWebhook(fresh, `${receiver.url}/fresh`);
    const posts = [await known.addPost(), await fresh.addPost()];
    await send();
    const arrived = () => receiver.received.map(({ message }) => message.data.post_id);
    await until('both others have their message', () => posts.every((post) => arrived().includes(post)));
    assert.ok(waiting.every(({ writableEnded, destroyed }) => !writableEnded && !destroyed));
    areSlow = false;
    for (const response of waiting) response.end();
    await sender.stop();
  });
});

onEngines('postgres', 'The fan-out', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('reaches every endpoint, however many there are and however far one is behind', async () => {
    const orgs = [await service.newOrganization(), await service.newOrganization()];
    const endpoints: { org: Organization; id: string }[] = [];
    for (const org of orgs)
      for (let i = 0; i < 4; i++)
        endpoints.push({ org, ...(await addWebhook(org, 'https://hooks.example.com/')) });
    for (let i = 0; i < 101; i++) await orgs[0]?.addPost();
    await orgs[1]?.addPost();
    const counts = async () => {
      const totals: number[] = [];
      for (const { org, id } of endpoints) {
        const { json } = await org.call('GET', `/api/v1/webhooks/${id}/deliveries?per_page=1`);
        totals.push(json.pagination.total);
      }
      return totals;
    };
    const fanOut = createFanOut(service.app, undefined, undefined, 3);
    for (let search = 0; search < 3; search++) {
      await fanOut.startDue();
      await fanOut.idle();
    }
    assert.deepEqual(await counts(), [50, 50, 50, 50, 1, 1, 1, 1]);
    await fanOutAll(service, 3);
    assert.deepEqual(await counts(), [101, 101, 101, 101, 1, 1, 1, 1]);
  });

  it('fan-out continues for other endpoints when one fails', async () => {
    const org = await service.newOrganization();
    const first = await addWebhook(org, 'https://hooks.example.com/');
    const second = await addWebhook(org, 'https://hooks.example.com/');
    const setTypes = (types: string | null) =>
      service.app.db.transact((tx) =>
        tx.updateTable('webhook_endpoints').set({ types }).where('id', '=', first.id).execute(),
      );
    await setTypes('not JSON');
    await org.addPost();
    await fanOutAll(service);
    const { json } = await org.call('GET', `/api/v1/webhooks/${second.id}/deliveries`);
    assert.equal(json.data.length, 1);
    await setTypes(null);
  });

  it('hands an event out after two batches, however much another organization has waiting', async () => {
    const [busy, other] = [await service.newOrganization(), await service.newOrganization()];
    for (let i = 0; i < 4; i++) await addWebhook(busy, 'https://hooks.example.com/');
    const { id } = await addWebhook(other, 'https://hooks.example.com/');
    for (let i = 0; i < 101; i++) await busy.addPost();
    const count = (org: string) =>
      service.app.db.read
        .selectFrom('webhook_deliveries')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('org_id', '=', org)
        .executeTakeFirstOrThrow();
    let isFirst = true;
    let before: number | undefined;
    const db = Object.create(service.app.db, {
      transact: {
        value: async (work: Parameters<App['db']['transact']>[0]) => {
          if (isFirst) {
            // The event is written during the first batch, and the worker is woken.
            isFirst = false;
            await other.addPost();
            await fanOut.startDue();
          }
          const result = await service.app.db.transact(work);
          if (before === undefined && Number((await count(other.id)).n) > 0)
            before = Number((await count(busy.id)).n);
          return result;
        },
      },
    }) as App['db'];
    const fanOut = createFanOut({ ...service.app, db });
    await fanOut.startDue();
    await fanOut.idle();
    assert.ok(before !== undefined && before <= 2 * 50, `${before} deliveries of the other came before it`);
    const { json } = await other.call('GET', `/api/v1/webhooks/${id}/deliveries`);
    assert.equal(json.data.length, 1);
  });
});

onEngines('sqlite', 'A running worker', (engine) => {
  const service = useService(engine, { env: ALLOW });
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver.stop());

  it('sends an event by itself', async () => {
    const org = await service.newOrganization();
    await addWebhook(org, receiver.url);
    const post = await org.addPost();
    await until('it has arrived', () => receiver.received.length > 0);
    assert.equal(receiver.received[0]?.message.data.post_id, post);
  });
});

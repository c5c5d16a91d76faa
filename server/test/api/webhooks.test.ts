import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { NOTATIONS } from '../support/network/private-notations.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { assertProblem, assertRefused, TIMESTAMP } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';
import { addWebhook, Receiver } from '../support/service/webhooks.js';

const PATH = '/api/v1/webhooks';
const URL = 'https://hooks.example.com/airdate';

onEngines('sqlite', 'Webhooks by the API', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver.stop());

  it('are created with a secret that is shown once, and kept sealed', async () => {
    const org = await service.newOrganization();
    const body = { url: URL, description: 'Ours', types: ['post.published'] };
    const { status, headers, json } = await org.call('POST', PATH, body);
    assert.equal(status, 201);
    const { id, secret, created_at, updated_at, ...rest } = json.data;
    assert.equal(headers.get('location'), `${PATH}/${id}`);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.match(created_at, TIMESTAMP);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, {
      ...body,
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      previous_secret_until: null,
    });
    const shown = await org.call('GET', `${PATH}/${id}`);
    assert.deepEqual(shown.json.data, { id, created_at, updated_at, ...rest });
    assert.deepEqual((await org.call('GET', PATH)).json.data, [shown.json.data]);
    const row = await service.app.db.read
      .selectFrom('webhook_endpoints')
      .select('secret')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.ok(!row.secret.includes(secret.slice(6, 20)));
  });

  it('are created once per Idempotency-Key, with the same secret', async () => {
    const org = await service.newOrganization();
    const key = { 'idempotency-key': 'hook-1' };
    const first = await org.call('POST', PATH, { url: URL }, key);
    const second = await org.call('POST', PATH, { url: URL }, key);
    assert.equal(second.text, first.text);
    assert.equal((await org.call('GET', PATH)).json.pagination.total, 1);
  });

  it('are changed field by field', async () => {
    const org = await service.newOrganization();
    const { id } = await addWebhook(org, URL, { types: ['post.created'], description: 'Ours' });
    const patch = async (body: object) => (await org.call('PATCH', `${PATH}/${id}`, body)).json.data;
    assert.deepEqual((await patch({ types: null })).types, null);
    assert.deepEqual((await patch({ types: ['post.deleted'] })).types, ['post.deleted']);
    assert.equal((await patch({ description: null })).description, null);
    assert.equal((await patch({ url: 'https://other.example.com/' })).url, 'https://other.example.com/');
    const disabled = await patch({ enabled: false });
    assert.deepEqual([disabled.enabled, disabled.disabled_reason], [false, null]);
    assert.match(disabled.disabled_at, TIMESTAMP);
    const enabled = await patch({ enabled: true });
    assert.deepEqual([enabled.enabled, enabled.disabled_at], [true, null]);
    assert.deepEqual(await patch({}), enabled);
  });

  it('are at most 20', async () => {
    const org = await service.newOrganization();
    for (let i = 0; i < 20; i++) await addWebhook(org, URL);
    const refused = await org.call('POST', PATH, { url: URL });
    assertProblem(refused, 409, 'limit_reached');
    const { id } = (await org.call('GET', PATH)).json.data[0];
    assert.equal((await org.call('DELETE', `${PATH}/${id}`)).status, 204);
    await addWebhook(org, URL);
  });

  it('400: a literal address that is not public, in every notation, when they are made and when they are changed', async () => {
    const org = await service.newOrganization();
    const { id } = await addWebhook(org, URL);
    for (const [i, host] of NOTATIONS.entries()) {
      const url = `https://${host}:${new globalThis.URL(receiver.url).port}/`;
      const [method, path] = i % 2 === 0 ? ['POST', PATH] : ['PATCH', `${PATH}/${id}`];
      assertRefused(await org.call(method as string, path as string, { url }), 'url');
    }
    assert.equal(receiver.connections, 0);
    assert.equal((await org.call('GET', PATH)).json.pagination.total, 1);
  });

  it('400: http, credentials in the URL, unknown types and fields', async () => {
    const org = await service.newOrganization();
    const refused = async (body: object, field: string) =>
      assertRefused(await org.call('POST', PATH, body), field);
    await refused({ url: 'http://hooks.example.com/' }, 'url');
    await refused({ url: 'https://user:pass@hooks.example.com/' }, 'url');
    await refused({ url: 'not a url' }, 'url');
    await refused({ url: `https://example.com/${'x'.repeat(2000)}` }, 'url');
    await refused({ url: URL, types: ['post.exploded'] }, 'types/0');
    await refused({ url: URL, types: [] }, 'types');
    await refused({ url: URL, secret: 'whsec_mine' }, 'secret');
    await refused({}, 'url');
  });

  it('400: a recovery of the future, or of more than 30 days', async () => {
    const org = await service.newOrganization();
    const { id } = await addWebhook(org, URL);
    const recover = (ms: number) =>
      org.call('POST', `${PATH}/${id}/recover`, { since: new Date(service.clock.now() + ms).toISOString() });
    assertRefused(await recover(60_000), 'since');
    assertRefused(await recover(-31 * 86_400_000), 'since');
    assert.deepEqual((await recover(-29 * 86_400_000)).json.data, { events: 0 });
  });

  it('404: an unknown webhook or delivery, and a delivery of another webhook', async () => {
    const org = await service.newOrganization();
    const { id } = await addWebhook(org, URL);
    const unknown = service.app.newId();
    for (const [method, path] of [
      ['GET', unknown],
      ['PATCH', unknown],
      ['DELETE', unknown],
      ['POST', `${unknown}/rotate`],
      ['POST', `${unknown}/test`],
      ['GET', `${unknown}/deliveries`],
      ['POST', `${id}/deliveries/${unknown}/replay`],
    ] as const)
      assertProblem(
        await org.call(method, `${PATH}/${path}`, method === 'PATCH' ? {} : undefined),
        404,
        'not_found',
      );
  });

  it('403: a key without org:manage', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['posts:read', 'posts:write', 'posts:publish', 'accounts:manage']);
    assertProblem(await service.request('GET', PATH, { key }), 403, 'insufficient_scope');
  });
});

// Keys that work from some networks only.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';

onEngines('both', 'The networks of a key', (engine) => {
  const service = useService(engine, { env: { TRUST_PROXY: 'loopback' } });
  const create = (org: Organization, body: object, key = org.key) =>
    service.request('POST', '/api/v1/keys', { key, body: { name: 'From the office', ...body } });
  const me = (key: string, address: string) =>
    service.request('GET', '/api/v1/me', { key, headers: { 'x-forwarded-for': address } });

  it('let it work from there, and answer 403 elsewhere, without recording a use', async () => {
    const org = await service.newOrganization();
    const { status, json } = await create(org, { networks: ['203.0.113.0/24', '2001:db8::/48'] });
    assert.equal(status, 201);
    assert.deepEqual(json.data.networks, ['203.0.113.0/24', '2001:db8::/48']);
    const { id, key } = json.data;
    const refused = await me(key, '198.51.100.7');
    assert.deepEqual([refused.status, refused.json.code], [403, 'network_not_allowed']);
    const used = async () => (await org.call('GET', `/api/v1/keys/${id}`)).json.data.last_used_network;
    assert.equal(await used(), null);
    for (const address of ['203.0.113.7', '2001:db8::9', '::ffff:203.0.113.8'])
      assert.equal((await me(key, address)).status, 200, address);
    for (const address of ['203.0.114.7', '2001:db8:1::9', '::ffff:198.51.100.8'])
      assert.equal((await me(key, address)).status, 403, address);
  });

  it('show where it was used last', async () => {
    const org = await service.newOrganization();
    const { json } = await create(org, {});
    assert.deepEqual([json.data.networks, json.data.last_used_network], [null, null]);
    assert.equal((await me(json.data.key, '2001:db8::9')).status, 200);
    const path = `/api/v1/keys/${json.data.id}`;
    // Recorded after the answer.
    for (;;) {
      const used = (await org.call('GET', path)).json.data.last_used_network;
      if (used === '2001:db8:0:0::/64') break;
      assert.equal(used, null);
    }
  });

  it('cannot be widened by a key: another key inherits them, or gets some of them', async () => {
    const org = await service.newOrganization();
    const { json } = await create(org, { networks: ['10.0.0.0/8', '127.0.0.1'], scopes: ['org:manage'] });
    const { key } = json.data;
    const inherited = await create(org, { scopes: ['org:manage'] }, key);
    assert.deepEqual([inherited.status, inherited.json.data.networks], [201, ['10.0.0.0/8', '127.0.0.1']]);
    const narrower = await create(org, { scopes: ['org:manage'], networks: ['10.1.0.0/16'] }, key);
    assert.deepEqual([narrower.status, narrower.json.data.networks], [201, ['10.1.0.0/16']]);
    for (const network of ['10.0.0.0/7', '11.0.0.1', '127.0.0.0/24', '::1']) {
      const wider = await create(org, { scopes: ['org:manage'], networks: [network] }, key);
      assert.deepEqual([wider.status, wider.json.errors[0].pointer], [400, '/networks/0'], network);
    }
  });

  it('are addresses and networks', async () => {
    const org = await service.newOrganization();
    for (const network of [
      'office',
      '10.0.0.0/33',
      '10.0.0',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/8/8',
      'fe80::1%en0/64',
      '',
    ])
      assert.equal((await create(org, { networks: [network] })).status, 400, network);
    assert.equal((await create(org, { networks: [] })).status, 400);
    assert.equal((await create(org, { networks: Array(51).fill('10.0.0.1') })).status, 400);
  });
});

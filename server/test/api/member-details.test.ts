// What a member's page tells before they are removed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { anotherSession, newPerson } from '../support/service/people.js';

onEngines('both', 'GET /api/v1/members/:id', (engine) => {
  const service = useService(engine, { env: { WEBHOOK_ALLOW: '127.0.0.0/8' } });

  it('has the member as in the list', async () => {
    const org = await service.newOrganization();
    const { id } = await newPerson(service, org.id, 'editor');
    const { json } = await org.call('GET', `/api/v1/members/${id}`);
    const listed = (await org.call('GET', '/api/v1/members')).json.data;
    const { sessions_ending, keys_ending, keys, invitations_ending, invitations, webhooks, ...member } =
      json.data;
    assert.deepEqual(
      member,
      listed.find((one: { id: string }) => one.id === id),
    );
    assert.deepEqual(
      [sessions_ending, keys_ending, keys, invitations_ending, invitations, webhooks],
      [1, 0, [], 0, [], []],
    );
  });

  it('lists what the removal then ends, and nothing else', async () => {
    const org = await service.newOrganization();
    const stays = await newPerson(service, org.id, 'owner');
    const leaves = await newPerson(service, org.id, 'admin');
    await anotherSession(service, leaves);
    const create = async (person: typeof leaves, name: string) =>
      (await person.browser.call('POST', '/api/v1/keys', { name })).json.data;
    const first = await create(leaves, 'First');
    const withKey = async (key: string, path: string, body: object) => {
      const { status, json, text } = await service.request('POST', path, { key, body });
      assert.equal(status, 201, text);
      return json.data.id;
    };
    const second = await withKey(first.key, '/api/v1/keys', { name: 'Second' });
    const other = await create(stays, 'Stays');
    const invited = await withKey(first.key, '/api/v1/invitations', { role: 'viewer' });
    const open = (await leaves.browser.call('POST', '/api/v1/invitations', { role: 'editor' })).json.data.id;
    await withKey(other.key, '/api/v1/invitations', { role: 'viewer' });
    const hook = await withKey(first.key, '/api/v1/webhooks', { url: 'http://127.0.0.1:9/theirs' });
    await withKey(other.key, '/api/v1/webhooks', { url: 'http://127.0.0.1:9/other' });
    await leaves.browser.call('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/dashboard' });

    const { data } = (await org.call('GET', `/api/v1/members/${leaves.id}`)).json;
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
    assert.deepEqual([data.sessions_ending, data.keys_ending, data.invitations_ending], [2, 2, 2]);
    assert.deepEqual(ids(data.keys), [second, first.id]);
    assert.deepEqual(ids(data.invitations), [open, invited]);
    assert.deepEqual(ids(data.webhooks), [hook]);

    assert.equal((await org.call('DELETE', `/api/v1/members/${leaves.id}`)).status, 204);
    const [entry] = (await org.call('GET', '/api/v1/audit?action=member.removed')).json.data;
    const { keys_ended, sessions_ended, invitations_withdrawn, webhooks_disabled } = entry.details;
    assert.deepEqual([sessions_ended, keys_ended, invitations_withdrawn, webhooks_disabled], [2, 2, 2, 1]);
    assert.equal((await org.call('GET', `/api/v1/members/${leaves.id}`)).status, 404);
  });
});

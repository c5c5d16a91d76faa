import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { assertProblem, assertRefused } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const ME = '/api/v1/me';

onEngines('sqlite', 'PATCH /api/v1/me', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('changes the name and the time format of the person, each alone or both', async () => {
    const org = await service.newOrganization();
    const { browser, id } = await newPerson(service, org.id, 'viewer');
    const user = async () => (await browser.call('GET', ME)).json.data.user;
    assert.equal((await user()).time_format, null);
    const changed = await browser.call('PATCH', ME, { name: 'Ada Byron', time_format: '12h' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json, (await browser.call('GET', ME)).json);
    assert.deepEqual([(await user()).name, (await user()).time_format], ['Ada Byron', '12h']);
    await browser.call('PATCH', ME, { time_format: '24h' });
    await browser.call('PATCH', ME, { name: 'Ada' });
    await browser.call('PATCH', ME, {});
    assert.deepEqual([(await user()).name, (await user()).time_format], ['Ada', '24h']);
    await browser.call('PATCH', ME, { time_format: null });
    assert.equal((await user()).time_format, null);
    const rows = await service.app.db.read
      .selectFrom('audit')
      .select(['action', 'actor_id'])
      .where('org_id', '=', org.id)
      .where('action', '=', 'person.renamed')
      .execute();
    assert.deepEqual(rows, Array(2).fill({ action: 'person.renamed', actor_id: id }));
  });

  it('changes no other person, and nothing else of this one', async () => {
    const org = await service.newOrganization();
    const [one, other] = [
      await newPerson(service, org.id, 'editor'),
      await newPerson(service, org.id, 'owner'),
    ];
    const before = (await other.browser.call('GET', ME)).json.data.user;
    await one.browser.call('PATCH', ME, { name: 'New', time_format: '24h' });
    assert.deepEqual((await other.browser.call('GET', ME)).json.data.user, before);
    assertRefused(await one.browser.call('PATCH', ME, { role: 'owner', email: 'x@y' }), 'email', 'role');
    assertRefused(await one.browser.call('PATCH', ME, { name: '' }), 'name');
    assertRefused(await one.browser.call('PATCH', ME, { time_format: '13h' }), 'time_format');
  });

  it('is repeated with an Idempotency-Key for the same person only', async () => {
    const org = await service.newOrganization();
    const [one, other] = [
      await newPerson(service, org.id, 'viewer'),
      await newPerson(service, org.id, 'viewer'),
    ];
    const send = ({ browser }: typeof one) =>
      service.request('PATCH', ME, {
        body: { time_format: '24h' },
        headers: { ...browser.headers, 'idempotency-key': 'profile-1' },
      });
    assert.equal((await send(one)).status, 200);
    assert.equal((await send(one)).headers.get('idempotency-replayed'), 'true');
    assertProblem(await send(other), 422, 'idempotency_key_reused');
  });

  it('is refused to a key, which GET /me tells no person', async () => {
    const org = await service.newOrganization();
    assertProblem(await org.call('PATCH', ME, { name: 'x' }), 403, 'forbidden');
    assert.equal((await org.call('GET', ME)).json.data.user, null);
  });
});

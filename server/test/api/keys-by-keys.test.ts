// A key that is made with a key ends when that one ends: by expiry, by revocation, or with its person, over all generations.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type TestService, useService } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { at } from '../support/service/posts.js';

const KEYS = '/api/v1/keys';
const HOUR = 3_600_000;

interface Issued {
  id: string;
  key: string;
  expires_at: string | null;
  descendant_keys: number;
}

const MAKERS = ['the operator', 'a person'] as const;
const EXPIRIES = ['none', 'its own', "its maker's"] as const;
const GENERATIONS = [1, 2, 3] as const;
const ENDS = ['expiry', 'revocation', 'removal'] as const;

onEngines('sqlite', 'A key made with a key', (engine) => {
  const service = useService(engine);

  for (const maker of MAKERS)
    for (const expiry of EXPIRIES)
      for (const generations of GENERATIONS)
        for (const end of ENDS) {
          if (end === 'removal' && maker === 'the operator') continue;
          if (end === 'expiry' && expiry === 'none') continue;
          it(`of ${maker}, generation ${generations}, expiry: ${expiry}, ends by ${end}`, async () => {
            const world = await newWorld(service);
            const now = service.clock.now();
            const rootEnd = expiry === 'none' ? null : at(now + 2 * HOUR);
            const root = await world.first(maker, rootEnd);
            const family = [root];
            for (let i = 0; i < generations; i++) {
              const own = expiry === 'its own' && i === 0 ? at(now + HOUR) : null;
              family.push(await make(service, (family.at(-1) as Issued).key, own));
            }
            const [, ...made] = family;
            const last = made.at(-1) as Issued;
            assert.equal(last.expires_at, expiry === 'its own' ? at(now + HOUR) : rootEnd);
            for (const { key } of family) assert.equal(await status(service, key), 200);

            if (end === 'revocation') await world.revoke(root.id);
            if (end === 'removal') await world.removePerson();
            if (end === 'expiry') service.clock.advance(expiry === 'its own' ? HOUR : 2 * HOUR);
            service.app.keyCache.clear();
            for (const { key } of made) assert.equal(await status(service, key), 401);
            const isRootAlive = end === 'expiry' && expiry === 'its own';
            assert.equal(await status(service, root.key), isRootAlive ? 200 : 401);
          });
        }

  it('cannot outlive its maker: a later expiry is refused', async () => {
    const world = await newWorld(service);
    const now = service.clock.now();
    const root = await world.first('a person', at(now + HOUR));
    const answer = await service.request('POST', KEYS, {
      key: root.key,
      body: { name: 'Longer', expires_at: at(now + HOUR + 1000) },
    });
    assert.equal(answer.status, 400);
    assert.deepEqual(
      answer.json.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/expires_at'],
    );
  });

  it('is counted in the list beforehand, and leaves it; brothers and other keys stay', async () => {
    const world = await newWorld(service);
    const root = await world.first('a person', null);
    const [child, brother] = [await make(service, root.key), await make(service, root.key)];
    const grandchild = await make(service, child.key);
    const counts = async () =>
      Object.fromEntries((await world.list()).map(({ id, descendant_keys }) => [id, descendant_keys]));
    assert.deepEqual(await counts(), {
      [world.ownKeyId]: 0,
      [root.id]: 3,
      [child.id]: 1,
      [brother.id]: 0,
      [grandchild.id]: 0,
    });
    await world.revoke(child.id);
    assert.deepEqual(await counts(), { [world.ownKeyId]: 0, [root.id]: 1, [brother.id]: 0 });
    assert.equal(await status(service, brother.key), 200);
    assert.equal(await status(service, grandchild.key), 401);
  });

  it('is not made by a key that is revoked at the same moment', async () => {
    const world = await newWorld(service);
    for (let i = 0; i < 10; i++) {
      const root = await world.first('a person', null);
      const [made] = await Promise.all([
        service.request('POST', KEYS, { key: root.key, body: { name: 'At the last moment' } }),
        world.revoke(root.id),
      ]);
      if (made.status === 201) assert.equal(await status(service, made.json.data.key), 401);
      else assert.equal(made.status, 401);
    }
  });
});

async function newWorld(service: TestService) {
  const org = await service.newOrganization();
  const owner = await newPerson(service, org.id, 'owner');
  const admin = await newPerson(service, org.id, 'admin');
  const list = async (): Promise<Issued[]> => (await owner.browser.call('GET', KEYS)).json.data;
  return {
    list,
    ownKeyId: (await list())[0]?.id as string,
    async first(maker: (typeof MAKERS)[number], expires_at: string | null): Promise<Issued> {
      const body = { name: 'First', ...(expires_at ? { expires_at } : {}) };
      const answer =
        maker === 'a person'
          ? await admin.browser.call('POST', KEYS, body)
          : await service.request('POST', `/api/admin/v1/organizations/${org.id}/keys`, {
              key: ADMIN_TOKEN,
              body,
            });
      assert.equal(answer.status, 201, answer.text);
      return answer.json.data;
    },
    async revoke(id: string) {
      assert.equal((await owner.browser.call('DELETE', `${KEYS}/${id}`)).status, 204);
    },
    async removePerson() {
      assert.equal((await owner.browser.call('DELETE', `/api/v1/members/${admin.id}`)).status, 204);
    },
  };
}

async function make(service: TestService, key: string, expires_at: string | null = null): Promise<Issued> {
  const body = { name: 'Made with a key', ...(expires_at ? { expires_at } : {}) };
  const answer = await service.request('POST', KEYS, { key, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data;
}

const status = async (service: TestService, key: string) =>
  (await service.request('GET', '/api/v1/me', { key })).status;

// Links that one person can use once, for one purpose.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../src/core/durations.js';
import { createPersonLink, type LinkPurpose } from '../../src/identity/auth/person-links.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { Browser, newPerson, PASSWORD, type TestPerson, tokenIn } from '../support/service/people.js';

const PURPOSES: LinkPurpose[] = ['enter', 'reset', 'verify'];

/** What takes the token of a link, and how it answers if it works. */
const ROUTES: { purpose: LinkPurpose; path: string; more?: object; status: number }[] = [
  { purpose: 'enter', path: '/api/v1/auth/enter', status: 200 },
  { purpose: 'reset', path: '/api/v1/auth/reset', more: { new_password: PASSWORD }, status: 204 },
];

onEngines('both', 'A link for one person', (engine) => {
  const service = useService(engine);
  const aPerson = async () => newPerson(service, (await service.newOrganization()).id, 'owner');

  async function newToken(
    { orgId, id }: TestPerson,
    purpose: LinkPurpose,
    madeBy: string | null = null,
    lastsMs = 30 * MINUTE_MS,
  ): Promise<string> {
    const person = { org_id: orgId, id };
    const link = { purpose, madeBy, lastsMs };
    return tokenIn(
      (await service.app.db.transact((tx) => createPersonLink(service.app, tx, person, link))).url,
    );
  }

  const answers = (path: string, token: string, more: object = {}) =>
    new Browser(service.url).call('POST', path, { token, ...more });
  const works = async (token: string) => (await answers('/api/v1/auth/enter', token)).status === 200;

  for (const { purpose: taken, path, more, status } of ROUTES)
    for (const purpose of PURPOSES)
      it(`to ${purpose} ${purpose === taken ? 'works once' : 'does not work'} at ${path}`, async () => {
        const token = await newToken(await aPerson(), purpose);
        const first = await answers(path, token, more);
        assert.equal(first.status, purpose === taken ? status : 410, first.text);
        const again = await answers(path, token, more);
        assert.deepEqual([again.status, again.json.code], [410, 'gone']);
        // At the wrong door it was not used up.
        const own = ROUTES.find((route) => route.purpose === purpose);
        if (!own || purpose === taken) return;
        assert.equal((await answers(own.path, token, own.more)).status, own.status);
      });

  it('ends earlier ones of the same purpose and maker, and no others', async () => {
    const person = await aPerson();
    const colleague = await newPerson(service, person.orgId, 'owner');
    const ended = await newToken(person, 'enter', colleague.id);
    const others = [
      await newToken(person, 'enter'),
      await newToken(person, 'enter', person.id),
      await newToken(colleague, 'enter', colleague.id),
    ];
    await newToken(person, 'reset', colleague.id);
    assert.equal(await works(await newToken(person, 'enter', colleague.id)), true);
    assert.equal(await works(ended), false);
    for (const token of others) assert.equal(await works(token), true);
  });

  it('that the person asked for lives beside two others', async () => {
    const person = await aPerson();
    const tokens = [];
    for (let n = 0; n < 4; n++) {
      tokens.push(await newToken(person, 'enter', person.id));
      service.clock.advance(1);
    }
    const working = [];
    for (const token of tokens) working.push(await works(token));
    assert.deepEqual(working, [false, true, true, true]);
  });

  it('works until it expires', async (t) => {
    t.after(() => service.clock.resume());
    const person = await aPerson();
    const [short, long] = [
      await newToken(person, 'enter', person.id),
      await newToken(person, 'enter', null, DAY_MS),
    ];
    service.clock.advance(30 * MINUTE_MS);
    assert.deepEqual([await works(short), await works(long)], [false, true]);
  });

  it('is stored as a hash', async () => {
    const token = await newToken(await aPerson(), 'reset');
    const rows = await service.app.db.read.selectFrom('person_links').selectAll().execute();
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(token));
  });
});

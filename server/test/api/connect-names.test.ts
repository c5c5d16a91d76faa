// A person who is sent a link to connect an account sees who asks: in the address, on the consent page, and at the end.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { assertPage, CONNECT } from '../support/service/connecting.js';
import { consent, type Organization } from '../support/service/harness.js';
import { newPerson } from '../support/service/people.js';
import { assertRefused, UNKNOWN_ID } from '../support/service/posts.js';
import { send } from '../support/service/send.js';
import { useTidyWorld } from '../support/world/world.js';

const NAME = 'Maps & <b>Co</b>';
const ESCAPED = 'Maps &amp; &lt;b&gt;Co&lt;/b&gt;';

onEngines('sqlite', 'Connecting an account names the organization and the account', (engine) => {
  const { service, accountRow } = useTidyWorld(engine);
  const named = () => service.newOrganization({ name: NAME });

  async function addressFor(org: Organization, social_account_id?: string): Promise<URL> {
    const body = social_account_id === undefined ? {} : { social_account_id };
    const { status, json, text } = await org.call('POST', CONNECT, body);
    assert.equal(status, 200, text);
    return new URL(json.data.authorize_url);
  }
  const end = async (url: URL, username: string, decision = 'allow') =>
    send('GET', await consent(url.href, { decision, username }), {});

  it('in the address of the consent page, which shows them', async () => {
    const org = await named();
    const url = await addressFor(org);
    assert.equal(url.searchParams.get('organization'), NAME);
    assert.equal(url.searchParams.has('login_hint'), false);
    const page = await send('GET', url.href, {});
    assert.ok(page.text.includes(ESCAPED), page.text);
    const id = await org.connectAccount('anna.maps');
    const again = await addressFor(org, id.toUpperCase());
    assert.equal(again.searchParams.get('organization'), NAME);
    assert.equal(again.searchParams.get('login_hint'), 'anna.maps');
    assert.match((await send('GET', again.href, {})).text, /@anna\.maps[\s\S]*value="anna\.maps"/);
  });

  it('the callback page names organization and account after success', async () => {
    const org = await named();
    const answer = await end(await addressFor(org), 'anna.maps');
    assertPage(answer, 200, /Connected as @anna\.maps/);
    assert.ok(answer.text.includes(`The organization “${ESCAPED}” can now post as @anna.maps.`), answer.text);
    assert.doesNotMatch(answer.text, /<b>|had asked for/);
  });

  it('on the last page, after a failure', async () => {
    const org = await named();
    const first = await end(await addressFor(org), 'anna.maps', 'deny');
    assertPage(first, 400, /denied/);
    assert.ok(first.text.includes(`The organization “${ESCAPED}” asked to connect an account.`), first.text);
    const id = await org.connectAccount('anna.maps');
    const second = await end(await addressFor(org, id), 'anna.maps', 'deny');
    assert.ok(
      second.text.includes(`The organization “${ESCAPED}” asked to reconnect @anna.maps.`),
      second.text,
    );
  });

  it('on the last page, if another account was chosen than the one that was to be reconnected', async () => {
    const org = await named();
    const id = await org.connectAccount('anna.maps');
    const before = await accountRow(id);
    const same = await end(await addressFor(org, id), 'anna.maps');
    assert.doesNotMatch(same.text, /had asked for/);
    const other = await end(await addressFor(org, id), 'bert.maps');
    assertPage(other, 200, /Connected as @bert\.maps/);
    assert.match(other.text, /had asked for @anna\.maps; that account/);
    assert.equal((await accountRow(id)).open_id, before.open_id);
  });

  it('in the address of the dashboard, where the account was to be reconnected from there', async () => {
    const org = await named();
    const id = await org.connectAccount('anna.maps');
    const { browser } = await newPerson(service, org.id, 'admin');
    for (const [decision, result] of [
      ['allow', `connected=${id}`],
      ['deny', 'error=access_denied'],
    ] as const) {
      const { json } = await browser.call('POST', CONNECT, { social_account_id: id });
      const back = await consent(json.data.authorize_url, { decision, username: 'anna.maps' });
      const { status, headers } = await send('GET', back, { headers: { cookie: browser.cookie as string } });
      const expected = `${service.url}/accounts?${result}&account=${id}`;
      assert.deepEqual([status, headers.get('location')], [303, expected]);
    }
  });

  it('only for an account that the organization has or had', async () => {
    const [org, other] = [await named(), await named()];
    for (const id of [await other.connectAccount('anna.maps'), UNKNOWN_ID, 'anna.maps'])
      assertRefused(await org.call('POST', CONNECT, { social_account_id: id }), 'social_account_id');
  });
});

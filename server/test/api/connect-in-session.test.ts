import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { assertPage, CONNECT, LATER } from '../support/service/connecting.js';
import { consent } from '../support/service/harness.js';
import { anotherSession, type Browser, newPerson } from '../support/service/people.js';
import { send } from '../support/service/send.js';
import { useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'An account that is connected from the dashboard', (engine) => {
  const { service, watched } = useTidyWorld(engine);
  const person = async () => newPerson(service, (await service.newOrganization()).id, 'admin');

  /** Where the platform redirects the browser to. */
  async function begin(browser: Browser, form: Record<string, string> = {}): Promise<string> {
    const { status, json, text } = await browser.call('POST', CONNECT);
    assert.equal(status, 200, text);
    return consent(json.data.authorize_url, { decision: 'allow', username: 'anna', ...form });
  }
  const comeBack = (back: string, browser?: Browser) =>
    send('GET', back, { headers: browser?.cookie ? { cookie: browser.cookie } : {} });
  const accountsOf = async (orgId: string) =>
    service.app.db.read.selectFrom('social_accounts').selectAll().where('org_id', '=', orgId).execute();

  it('returns to the dashboard with the account', async () => {
    const { browser, orgId } = await person();
    const answer = await comeBack(await begin(browser), browser);
    const [account] = await accountsOf(orgId);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get('location'), `${service.url}/accounts?connected=${account?.id}`);
    assert.equal(account?.username, 'anna');
  });

  it('returns to the dashboard with a code if it was not connected', async () => {
    const { browser, orgId } = await person();
    const endsWith = async (back: string, reason: string) => {
      const { status, headers } = await comeBack(back, browser);
      assert.deepEqual([status, headers.get('location')], [303, `${service.url}/accounts?error=${reason}`]);
    };
    await endsWith(await begin(browser, { decision: 'deny' }), 'access_denied');
    const odd = new URL(await begin(browser));
    odd.searchParams.delete('code');
    await endsWith(odd.href, 'incomplete');
    const hostile = new URL(await begin(browser));
    hostile.searchParams.set('error', '"><script>alert(1)</script>');
    await endsWith(hostile.href, 'platform_refused');
    const back = await begin(browser);
    watched.instead.exchange = async () => LATER;
    await endsWith(back, 'platform_unavailable');
    assert.deepEqual(await accountsOf(orgId), []);
  });

  it('is refused to every other session, and to a visitor without one', async () => {
    const one = await person();
    const colleague = await newPerson(service, one.orgId, 'admin');
    const stranger = await person();
    const otherBrowser = await anotherSession(service, one);
    for (const browser of [undefined, colleague.browser, stranger.browser, otherBrowser.browser]) {
      const back = await begin(one.browser);
      assertPage(await comeBack(back, browser), 400, /started in another session/);
      // The state is valid for one try, in any session.
      assertPage(await comeBack(back, one.browser), 400, /no longer works/);
    }
    assert.equal(watched.count('exchange'), 0);
    for (const { orgId } of [one, stranger]) assert.deepEqual(await accountsOf(orgId), []);
  });

  it('is refused when the session is over, or its member may no longer connect accounts', async () => {
    const one = await person();
    const owner = await newPerson(service, one.orgId, 'owner');
    const signedOut = await anotherSession(service, one);
    const late = await begin(signedOut.browser);
    const { cookie } = signedOut.browser;
    await signedOut.browser.call('POST', '/api/v1/auth/sign-out');
    signedOut.browser.cookie = cookie;
    assertPage(await comeBack(late, signedOut.browser), 400, /started in another session/);
    const demoted = await begin(one.browser);
    await owner.browser.call('PATCH', `/api/v1/members/${one.id}`, { role: 'editor' });
    assertPage(await comeBack(demoted, one.browser), 400, /started in another session/);
    assert.equal(watched.count('exchange'), 0);
  });

  it('works once: a reused state connects nothing', async () => {
    const { browser } = await person();
    const back = await begin(browser);
    assert.equal((await comeBack(back, browser)).status, 303);
    assertPage(await comeBack(back, browser), 400, /no longer works/);
    assert.equal(watched.count('exchange'), 1);
  });

  it('with a key is bound to no session, and ends on the page', async () => {
    const org = await service.newOrganization();
    const { browser } = await person();
    for (const visitor of [undefined, browser]) {
      const { json } = await org.call('POST', CONNECT);
      const back = await consent(json.data.authorize_url, { decision: 'allow', username: 'berta' });
      assertPage(await comeBack(back, visitor), 200, /Connected as @berta/);
    }
  });
});

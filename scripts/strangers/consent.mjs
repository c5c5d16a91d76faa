// The consent addresses that OAuth libraries ship for the platform lead to the sandbox's consent page, and from there back to
// the app with a code. Only the host is replaced.
import assert from 'node:assert/strict';
import { Auth } from '@auth/core';
import AuthJsTikTok from '@auth/core/providers/tiktok';
import { TikTok } from 'arctic';

const { SANDBOX_URL } = process.env;
const APP = 'http://localhost:4321';
const CLIENT = { clientId: 'sandbox-client-key', clientSecret: 'sandbox-client-secret' };

function arcticAddress() {
  const tiktok = new TikTok(CLIENT.clientId, CLIENT.clientSecret, `${APP}/callback`);
  return tiktok.createAuthorizationURL('a-state', 'v'.repeat(43), ['user.info.basic', 'video.list']);
}

/** Where Auth.js sends a person who chooses to sign in. */
async function authJsAddress() {
  const config = {
    trustHost: true,
    secret: 's'.repeat(32),
    basePath: '/auth',
    providers: [AuthJsTikTok(CLIENT)],
    logger: { warn() {} },
  };
  const first = await Auth(new Request(`${APP}/auth/csrf`), config);
  const { csrfToken } = await first.json();
  const cookie = first.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const chosen = await Auth(
    new Request(`${APP}/auth/signin/tiktok`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ csrfToken }),
    }),
    config,
  );
  return new URL(chosen.headers.get('location'));
}

async function consent(library, { pathname, search, searchParams }) {
  const address = SANDBOX_URL + pathname + search;
  const page = await fetch(address);
  const text = await page.text();
  assert.equal(page.status, 200, `${library}: ${text}`);
  assert.match(text, /name="decision" value="allow"/, library);
  const body = new URLSearchParams({ decision: 'allow', username: 'stranger' });
  const allowed = await fetch(address, { method: 'POST', body, redirect: 'manual' });
  const back = new URL(allowed.headers.get('location'));
  assert.equal(back.origin + back.pathname, searchParams.get('redirect_uri'), library);
  assert.equal(back.searchParams.get('state'), searchParams.get('state'), library);
  assert.ok(back.searchParams.get('code'), library);
  console.log(`the consent address of ${library}, ${pathname}, leads back with a code`);
}

await consent('arctic', arcticAddress());
await consent('Auth.js', await authJsAddress());

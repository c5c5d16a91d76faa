// The first start on an empty embedded database makes an organization to play with, shows its key once, and connects an
// account of the built-in platform to it.
import { beginConnect, finishConnect } from './accounts/connect.js';
import type { App } from './app.js';
import { createKey } from './keys/keys.js';
import { SCOPES } from './keys/scopes.js';
import { faultOf } from './log.js';
import { createOrganization } from './organizations/organizations.js';

export interface Demo {
  key: string;
}

const NAME = 'Demo organization';
const CREATOR = 'demo.creator';

export async function createDemo(app: App): Promise<Demo | null> {
  if (!hasDemo(app)) return null;
  return app.db.transact(async (tx) => {
    if (await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()) return null;
    const organization = await createOrganization(app, tx, { name: NAME, plan: 'starter' });
    const issuer = { orgId: organization.id, scopes: new Set(SCOPES) };
    const { key } = await createKey(app, tx, issuer, { name: 'Demo key' });
    return { key };
  });
}

/** Also what an earlier start did not come to. Failing is no reason not to start: the next one tries again. */
export async function connectDemoAccount(app: App): Promise<void> {
  if (!hasDemo(app)) return;
  try {
    const orgId = await organizationWithoutAccount(app);
    if (orgId !== null) await connectAsPerson(app, orgId);
  } catch (err) {
    app.log.warn(faultOf(err), 'the demo organization has no account yet; the next start tries again');
  }
}

const hasDemo = (app: App) => app.config.demo && app.db.engine === 'sqlite';

/** The demo organization is the first of all. An account without a name yet is unfinished; a disconnected one is not. */
async function organizationWithoutAccount(app: App): Promise<string | null> {
  const first = await app.db.read
    .selectFrom('organizations')
    .select(['id', 'name'])
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (first?.name !== NAME) return null;
  const account = await app.db.read
    .selectFrom('social_accounts')
    .select('id')
    .where('org_id', '=', first.id)
    .where((eb) => eb.or([eb('open_id', 'is', null), eb('username', '<>', eb.ref('open_id'))]))
    .limit(1)
    .executeTakeFirst();
  return account ? null : first.id;
}

/** Over HTTP, as a person would: the account is connected like every other. */
async function connectAsPerson(app: App, orgId: string): Promise<void> {
  const consent = await app.db.transact((tx) => beginConnect(app, tx, { orgId }));
  const { search } = new URL(app.connector().authorizeUrl(consent));
  const answer = await fetch(`${app.address.ownUrl}/sandbox/v2/auth/authorize/${search}`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'allow', username: CREATOR }),
    redirect: 'manual',
    signal: AbortSignal.timeout(app.config.publishing.platformTimeoutMs),
  });
  const back = new URL(answer.headers.get('location') ?? '', app.address.ownUrl).searchParams;
  const callback = { state: consent.state, code: back.get('code') ?? undefined };
  const ending = await finishConnect(app, callback, async () => {});
  if (ending.kind !== 'connected') throw new Error(`the built-in platform answered: ${ending.kind}`);
}

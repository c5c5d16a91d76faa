// The first start on an empty embedded database creates a demo organization with an owner, shows its key and a link for the
// owner once, and connects an account of the built-in platform.

import { beginConnect, finishConnect } from './accounts/connect.js';
import type { App, TxApp } from './app/app.js';
import { SCOPES } from './app/scopes.js';
import { bySystem } from './audit/record.js';
import { toLogFields } from './core/log.js';
import type { Reader, Tx } from './db/database.js';
import { createEntryLink } from './identity/auth/entry-links.js';
import { addPerson } from './identity/auth/people.js';
import { DEMO_ORGANIZATION } from './identity/auth/sign-up.js';
import { createKey } from './identity/keys/keys.js';
import { createOrganization } from './identity/organizations/organizations.js';
import { DEFAULT_PLATFORM } from './request/platforms.js';

export interface Demo {
  key: string;
}

const OWNER = { name: 'Demo owner', email: 'demo@localhost' };

const CREATOR = 'demo.creator';

export async function createDemo(app: App): Promise<Demo | null> {
  if (!hasDemo(app)) return null;
  return app.db.transact(async (tx) => {
    if (await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()) return null;
    const organization = await createOrganization(app, tx, { name: DEMO_ORGANIZATION, plan: 'starter' });
    const issuer = { orgId: organization.id, scopes: new Set(SCOPES), actor: bySystem(organization.id) };
    const { key } = await createKey(app, tx, issuer, { name: 'Demo key' });
    await addOwner(app, tx, organization.id);
    return { key };
  });
}

/**
 * A link for the owner of the demo organization, as long as no owner has a password: without it no one could sign in. Each
 * start makes a new one and ends the earlier ones. The person who starts the service controls its database anyway, but
 * printed output may be collected: `isSeen` says whether a person reads it.
 */
export async function linkForOwner(app: App, isSeen: boolean): Promise<string | null> {
  if (!hasDemo(app) || !isSeen) return null;
  return app.db.transact(async (tx) => {
    const first = await firstOrganization(tx);
    if (!first) return null;
    const people = await tx.selectFrom('people').selectAll().where('org_id', '=', first.id).execute();
    // Data of a version that had no people yet.
    if (first.name === DEMO_ORGANIZATION && people.length === 0)
      people.push(await addOwner(app, tx, first.id));
    const owners = people.filter(({ role }) => role === 'owner');
    const owner = owners.find(({ email }) => email === OWNER.email);
    if (!owner || owners.some(({ password_hash }) => password_hash !== null)) return null;
    return createEntryLink(app, tx, owner);
  });
}

const addOwner = (app: TxApp, tx: Tx, orgId: string) =>
  addPerson(app, tx, { ...OWNER, org_id: orgId, role: 'owner', password_hash: null });

/** Also finishes what an earlier start left undone. A failure does not stop the start: the next one tries again. */
export async function connectDemoAccount(app: App): Promise<void> {
  if (!hasDemo(app) || app.safety.mode.kind !== 'normal') return;
  try {
    const orgId = await organizationWithoutAccount(app);
    if (orgId !== null) await connectAsPerson(app, orgId);
  } catch (err) {
    app.log.warn(toLogFields(err), 'the demo organization has no account yet; the next start tries again');
  }
}

const hasDemo = (app: App) => app.config.demo && app.db.engine === 'sqlite';

/** The demo organization is always the first. */
const firstOrganization = (read: Reader) =>
  read.selectFrom('organizations').select(['id', 'name']).orderBy('id').limit(1).executeTakeFirst();

/** An account without a username is unfinished; a disconnected one is not. */
async function organizationWithoutAccount(app: App): Promise<string | null> {
  const first = await firstOrganization(app.db.read);
  if (first?.name !== DEMO_ORGANIZATION) return null;
  const account = await app.db.read
    .selectFrom('social_accounts')
    .select('id')
    .where('org_id', '=', first.id)
    .where((eb) => eb.or([eb('open_id', 'is', null), eb('username', '<>', eb.ref('open_id'))]))
    .limit(1)
    .executeTakeFirst();
  return account ? null : first.id;
}

/** Over HTTP, as a person would do it: the account is connected like any other. */
async function connectAsPerson(app: App, orgId: string): Promise<void> {
  const consent = await app.db.transact((tx) =>
    beginConnect(app, tx, bySystem(orgId), { platform: DEFAULT_PLATFORM, sessionId: null, account: null }),
  );
  const { search } = new URL(app.connector(DEFAULT_PLATFORM).authorizeUrl(consent));
  const answer = await fetch(`${app.urls.ownUrl}/sandbox/v2/auth/authorize/${search}`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'allow', username: CREATOR }),
    redirect: 'manual',
    signal: AbortSignal.timeout(app.config.publishing.platformTimeoutMs),
  });
  const back = new URL(answer.headers.get('location') ?? '', app.urls.ownUrl).searchParams;
  const callback = { state: consent.state, code: back.get('code') ?? undefined };
  const { ending } = await finishConnect(app, callback, null, null);
  if (ending.kind !== 'connected') throw new Error(`the built-in platform answered: ${ending.kind}`);
}

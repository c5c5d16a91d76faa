// The first start on an empty embedded database makes an organization to play with, and shows its key once.
import type { App } from './app.js';
import { createKey } from './keys/keys.js';
import { SCOPES } from './keys/scopes.js';
import { createOrganization } from './organizations/organizations.js';

export interface Demo {
  key: string;
}

export async function createDemo(app: App): Promise<Demo | null> {
  if (!app.config.demo || app.db.engine !== 'sqlite') return null;
  return app.db.transact(async (tx) => {
    if (await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()) return null;
    const organization = await createOrganization(app, tx, { name: 'Demo organization', plan: 'starter' });
    const now = app.clock.now();
    await tx
      .insertInto('social_accounts')
      .values({
        org_id: organization.id,
        id: app.newId(),
        username: 'demo.creator',
        display_name: 'Demo Creator',
        status: 'connected',
        created_at: now,
        updated_at: now,
      })
      .execute();
    const issuer = { orgId: organization.id, scopes: new Set(SCOPES) };
    const { key } = await createKey(app, tx, issuer, { name: 'Demo key' });
    return { key };
  });
}

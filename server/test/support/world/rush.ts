// Many organizations with one account and one post each, all due in the same second: what a full hour looks like. Written straight
// to the database and the store; the accounts share the tokens of a few that are really connected.
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SEALED_TOKENS } from '../../../src/accounts/stored-tokens.js';
import type { App } from '../../../src/app/app.js';
import type { SocialAccountRow } from '../../../src/db/tables.js';
import { insertPosts, type Owner, type Seed, seedOf } from './due-posts.js';

const BATCH = 500;

/** Makes this many organizations, each with one account. */
export const manyOwners = (app: App, model: Owner, organizations: number): Promise<Owner[]> =>
  owners(
    app,
    model,
    Array.from({ length: organizations }, () => app.newId()),
  );

/** One organization with so many accounts: the same as many organizations otherwise. */
export async function oneOwner(app: App, model: Owner, accounts: number): Promise<Owner> {
  const orgId = app.newId();
  const copies = await owners(
    app,
    model,
    Array.from({ length: accounts }, () => orgId),
  );
  return { orgId, ids: copies.flatMap(({ ids }) => ids) };
}

/** An account for each of these organizations, which are new. */
async function owners(app: App, model: Owner, orgIds: readonly string[]): Promise<Owner[]> {
  const accounts = await app.db.read
    .selectFrom('social_accounts')
    .selectAll()
    .where('org_id', '=', model.orgId)
    .execute();
  const made: Owner[] = [];
  for (let from = 0; from < orgIds.length; from += BATCH) {
    const batch = orgIds.slice(from, from + BATCH);
    const copies = batch.map((orgId, n) =>
      copyOf(app, accounts[n % accounts.length] as SocialAccountRow, orgId),
    );
    const now = app.clock.now();
    await app.db.transact(async (tx) => {
      await tx
        .insertInto('organizations')
        .values(
          [...new Set(batch)].map((id) => ({
            id,
            name: 'In a rush',
            plan: 'agency',
            created_at: now,
            updated_at: now,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await tx.insertInto('social_accounts').values(copies).execute();
    });
    made.push(...copies.map(({ org_id, id }) => ({ orgId: org_id, ids: [id] })));
  }
  return made;
}

function copyOf({ seal }: App, account: SocialAccountRow, org_id: string): SocialAccountRow {
  const copy = { ...account, org_id, id: crypto.randomUUID(), open_id: crypto.randomUUID() };
  const sealedFor = (field: 'access_token' | 'refresh_token') => {
    const sealed = account[field];
    const placeOf = (row: SocialAccountRow) => SEALED_TOKENS.contextOf(row, field);
    return sealed && seal.seal(seal.unseal(sealed, placeOf(account)), placeOf(copy));
  };
  return { ...copy, access_token: sealedFor('access_token'), refresh_token: sealedFor('refresh_token') };
}

/** One post for each of the owners, or the nth of one. The files are links to one: to write them would take longer than to send them. */
export async function addRush(
  app: App,
  owners: readonly Owner[],
  due: { posts: number; slot: number; picture: Buffer; name: string },
): Promise<void> {
  const files = join(app.config.dataDir, 'files');
  const original = join(app.config.dataDir, `${due.name}.jpg`);
  writeFileSync(original, due.picture);
  const now = app.clock.now();
  const seeds: Seed[] = [];
  for (let n = 0; n < due.posts; n++) {
    const owner = owners[n % owners.length] as Owner;
    const seed = seedOf(app, owner, { ...due, slot: () => due.slot }, n, now);
    const file = join(files, seed.asset.object_key);
    mkdirSync(dirname(file), { recursive: true });
    linkSync(original, file);
    seeds.push(seed);
  }
  await insertPosts(app, seeds);
}

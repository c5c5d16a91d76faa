// Creates organizations of any size by writing straight to the database.

import type { App } from '@airdate/server/src/app/app.js';
import { SCOPES } from '@airdate/server/src/app/scopes.js';
import { bySystem } from '@airdate/server/src/audit/record.js';
import { readConfig } from '@airdate/server/src/config/config.js';
import { createLog } from '@airdate/server/src/core/log.js';
import { NO_ACCOUNT } from '@airdate/server/src/db/tables.js';
import { createKey } from '@airdate/server/src/identity/keys/keys.js';
import { createOrganization } from '@airdate/server/src/identity/organizations/organizations.js';
import { openApp } from '@airdate/server/src/open-app.js';
import { createPost } from '@airdate/server/src/posts/create.js';
import { sql } from 'kysely';

export interface Seeded {
  orgId: string;
  key: string;
  postId: string;
}

export async function withApp<T>(env: Record<string, string>, work: (app: App) => Promise<T>): Promise<T> {
  const app = await openApp(readConfig('serve', env), { log: createLog({ level: 'silent', human: false }) });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

const callerOf = (orgId: string) => ({
  orgId,
  scopes: new Set(SCOPES),
  plan: 'agency' as const,
  quotas: null,
  actor: bySystem(orgId),
});

/** An API key of an organization, with every scope. */
export const newKey = async (app: App, orgId: string): Promise<string> =>
  (await app.db.transact((tx) => createKey(app, tx, callerOf(orgId), { name: 'Bench' }))).key;

const BATCH = 50_000;

/** In one post of each organization, half way down. */
export const RARE_WORD = 'zebrawood';

/** An organization with `posts` drafts and published posts, half and half, and their counters. */
export async function seedOrganization(app: App, posts: number): Promise<Seeded> {
  const { orgId, key, postId } = await app.db.transact(async (tx) => {
    const { id } = await createOrganization(app, tx, { name: `${posts} posts`, plan: 'agency' });
    const caller = callerOf(id);
    const { key } = await createKey(app, tx, caller, { name: 'Bench' });
    const post = await createPost(app, tx, caller as never, {
      title: 'The one to get',
      caption: 'Some words. '.repeat(10),
    });
    return { orgId: id, key, postId: post.id };
  });
  const now = Date.now();
  const hex = (digits: number) =>
    app.db.engine === 'sqlite'
      ? sql.raw(`printf('%0${digits}x', i)`)
      : sql.raw(`lpad(to_hex(i), ${digits}, '0')`);
  const id = sql`'01900000-0000-7000-8000-' || ${hex(12)}`;
  const cast = app.db.engine === 'sqlite' ? sql`` : sql`::uuid`;
  for (let from = 1; from < posts; from += BATCH) {
    const to = Math.min(from + BATCH, posts);
    const first = now - posts;
    const rare = sql`case i when ${sql.lit(Math.floor(posts / 2))} then ${sql.lit(` ${RARE_WORD}`)} else '' end`;
    await app.db.transact(async (tx) => {
      await sql`with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i + 1 < ${sql.lit(to)})
        insert into posts (org_id, id, post_type, title, caption, status, posted_at, title_key, created_at, updated_at)
        select ${orgId}${cast}, (${id})${cast}, 'slides', 'Post number ' || i || ${rare}, 'A caption of ordinary length, as people write them.',
          case when i % 2 = 0 then 'draft' else 'posted' end, case when i % 2 = 0 then null else ${sql.lit(now)} + i end,
          'post number ' || i || ${rare},
          ${sql.lit(first)} + i, ${sql.lit(now)} from n`.execute(tx);
      await sql`insert into post_search (org_id, post_id, created_at, content)
        select org_id, id, created_at, title_key || ' a caption of ordinary length, as people write them.' from posts
        where org_id = ${orgId}${cast} and id <> ${postId}${cast} and created_at >= ${sql.lit(first + from)} and created_at < ${sql.lit(first + to)}
        order by created_at`.execute(tx);
    });
  }
  await app.db.transact(async (tx) => {
    const cell = { org_id: orgId, post_type: 'slides' as const, account_id: NO_ACCOUNT };
    const drafts = Math.floor((posts - 1) / 2);
    await tx
      .updateTable('post_counters')
      .set((eb) => ({ n: eb('n', '+', drafts) }))
      .where('org_id', '=', orgId)
      .execute();
    await tx
      .insertInto('post_counters')
      .values({ ...cell, status: 'posted', published: 1, n: posts - 1 - drafts })
      .execute();
    await sql`analyze`.execute(tx);
  });
  while (await app.db.indexPendingBatch());
  return { orgId, key, postId };
}

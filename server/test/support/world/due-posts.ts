// Any number of scheduled posts, with their files, on really connected accounts. Written directly to the database and the
// store, because the API would take longer than the measurement; the rows are the same.

import { readFileSync } from 'node:fs';
import type { Insertable } from 'kysely';
import sharp from 'sharp';
import { beginConnect, finishConnect } from '../../../src/accounts/connect.js';
import { findTokens, openToken } from '../../../src/accounts/stored-tokens.js';
import type { App } from '../../../src/app/app.js';
import { bySystem } from '../../../src/audit/record.js';
import type { AssetTable, AttemptRow, PostTable } from '../../../src/db/tables.js';
import { createOrganization } from '../../../src/identity/organizations/organizations.js';
import { recordPostChanges } from '../../../src/posts/counters.js';
import { foldForSearch } from '../../../src/posts/text.js';
import { titleKey } from '../../../src/posts/text-keys.js';
import { consent } from '../service/harness.js';

export const VIDEO = readFileSync(new URL('../../../../test/media/tiny.mp4', import.meta.url));

/** As many colours as a photograph in few pixels: the measurement is about the path, not the decoder. */
export const smallPicture = (): Promise<Buffer> =>
  sharp(readFileSync(new URL('../../../../test/media/slide.jpg', import.meta.url)))
    .resize(90, 160)
    .jpeg()
    .toBuffer();

export interface Owner {
  orgId: string;
  /** Of accounts. */
  ids: string[];
}

/** An organization whose accounts are connected, each by its own consent. */
export async function ownerOfAccounts(app: App, accounts: number): Promise<Owner> {
  const organization = await app.db.transact((tx) =>
    createOrganization(app, tx, { name: `${accounts} accounts`, plan: 'agency' }),
  );
  const ids: string[] = [];
  for (let n = 1; n <= accounts; n++) ids.push(await connect(app, organization.id, `creator.${n}`));
  return { orgId: organization.id, ids };
}

async function connect(app: App, orgId: string, username: string): Promise<string> {
  const request = await app.db.transact((tx) =>
    beginConnect(app, tx, bySystem(orgId), { platform: 'tiktok', sessionId: null, account: null }),
  );
  const back = await consent(app.connector('tiktok').authorizeUrl(request), { decision: 'allow', username });
  const code = new URL(back).searchParams.get('code') ?? undefined;
  const { ending } = await finishConnect(app, { state: request.state, code }, null, null);
  if (ending.kind !== 'connected') throw new Error(`connecting ended with ${ending.kind}`);
  return ending.account.id;
}

/** The access token of each account, in the order of the ids. */
export async function tokensOf(app: App, { orgId, ids }: Owner): Promise<string[]> {
  const tokens: string[] = [];
  for (const id of ids) {
    const row = await findTokens(app, { org_id: orgId, id });
    const token = row && openToken(app, row, 'access_token');
    if (!token) throw new Error('an account has no token');
    tokens.push(token);
  }
  return tokens;
}

export interface DuePosts {
  posts: number;
  /** The slot of each. */
  slot(n: number): number;
  /** Every nth post is a video; none by default. */
  videoEvery?: number;
  picture: Buffer;
  /** The prefix of all titles, which identifies the posts on the platform. */
  name: string;
  /** Writes no files to the store, for posts that are never sent. */
  withoutFiles?: true;
}

const BATCH = 500;
const MAX_CONCURRENT_FILES = 32;

/** Distributed over all accounts of the owner. Returns the ids of the posts. */
export async function addDuePosts(app: App, owner: Owner, due: DuePosts): Promise<string[]> {
  const now = app.clock.now();
  const seeds = Array.from({ length: due.posts }, (_, n) => seedOf(app, owner, due, n, now));
  const bytesOf = (kind: string) => (kind === 'video' ? VIDEO : due.picture);
  const files = seeds.map(({ asset }): StoredFile => [asset.object_key, bytesOf(asset.kind)]);
  if (!due.withoutFiles) await storeFiles(app, files);
  await insertPosts(app, seeds);
  return seeds.map(({ post }) => post.id);
}

type StoredFile = [key: string, bytes: Buffer];

export async function storeFiles(app: App, files: StoredFile[]): Promise<void> {
  const left = [...files];
  const store = async () => {
    for (let file = left.shift(); file; file = left.shift()) await app.store.write(...file);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_FILES }, store));
}

export interface Seed {
  post: Insertable<PostTable> & NonNullable<Parameters<typeof recordPostChanges>[1][number]['after']>;
  asset: Insertable<AssetTable>;
}

/** In one transaction: otherwise a worker would start the first ones before the last exist. */
export async function insertPosts(app: App, seeds: Seed[]): Promise<void> {
  await app.db.transact(async (tx) => {
    for (let from = 0; from < seeds.length; from += BATCH) {
      const batch = seeds.slice(from, from + BATCH);
      await tx
        .insertInto('posts')
        .values(batch.map(({ post }) => post))
        .execute();
      await tx
        .insertInto('post_search')
        .values(batch.map(({ post }) => searchedText(post)))
        .execute();
      await tx
        .insertInto('assets')
        .values(batch.map(({ asset }) => asset))
        .execute();
    }
    await recordPostChanges(
      tx,
      seeds.map(({ post }) => ({ after: post })),
    );
  });
}

/** As the service writes it with the post. */
const searchedText = ({ org_id, id, created_at, title, caption = null }: Seed['post']) => ({
  org_id,
  post_id: id,
  created_at,
  content: foldForSearch({ title, caption, hashtags: null }),
});

/** The file of a post, as if it had arrived when the post was written. */
export function readyFile(
  app: App,
  { org_id, id, post_type, created_at }: Pick<Seed['post'], 'org_id' | 'id' | 'post_type' | 'created_at'>,
  size: number,
) {
  const isVideo = post_type === 'video';
  const folder = `orgs/${org_id}/posts/${id}`;
  return {
    org_id,
    id: app.newId(),
    post_id: id,
    kind: isVideo ? ('video' as const) : ('slide' as const),
    state: 'ready' as const,
    object_key: isVideo ? `${folder}/videos/film-1.mp4` : `${folder}/slides/picture-1.jpg`,
    filename: isVideo ? 'film.mp4' : 'picture.jpg',
    content_type: isVideo ? 'video/mp4' : 'image/jpeg',
    position: 1,
    expires_at: created_at,
    size,
    duration_ms: isVideo ? 1_000 : null,
    created_at,
    settled_at: created_at,
  };
}

export function seedOf(app: App, { orgId, ids }: Owner, due: DuePosts, n: number, now: number) {
  const id = app.newId();
  const isVideo = due.videoEvery !== undefined && n % due.videoEvery === 0;
  const title = `${due.name} ${n}`;
  const post = {
    org_id: orgId,
    id,
    post_type: isVideo ? ('video' as const) : ('slides' as const),
    title,
    status: 'scheduled' as const,
    scheduled_at: due.slot(n),
    posted_at: null,
    social_account_id: ids[n % ids.length] as string,
    privacy_level: 'SELF_ONLY' as const,
    title_key: titleKey(title),
    created_at: now,
    updated_at: now,
  };
  const asset = readyFile(app, post, isVideo ? VIDEO.length : due.picture.length);
  return { post, asset };
}

export type Attempt = Pick<
  AttemptRow,
  | 'post_id'
  | 'attempt'
  | 'outcome'
  | 'error_message'
  | 'scheduled_for'
  | 'started_at'
  | 'accepted_at'
  | 'finished_at'
>;

/** The attempts at posts that were due between these times, both included. */
export const attemptsAt = (
  app: Pick<App, 'db'>,
  { orgId }: Owner,
  [first, last]: [number, number],
): Promise<Attempt[]> =>
  app.db.read
    .selectFrom('dispatches')
    .select([
      'post_id',
      'attempt',
      'outcome',
      'error_message',
      'scheduled_for',
      'started_at',
      'accepted_at',
      'finished_at',
    ])
    .where('org_id', '=', orgId)
    .where('scheduled_for', '>=', first)
    .where('scheduled_for', '<=', last)
    .execute();

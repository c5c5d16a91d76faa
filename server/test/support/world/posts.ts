// People on the platform, and posts of theirs that are ready to go.
import assert from 'node:assert/strict';
import type { AssetRow, PostRow } from '../../../src/db/tables.js';
import type { Organization } from '../service/harness.js';
import { at, changePost, readyPost } from '../service/posts.js';
import type { Answer } from '../service/send.js';
import { listAssets, media, upload } from '../service/uploads.js';
import { HOUR_MS, type ServiceBesidePlatform } from './beside-platform.js';

/** A person on the platform, connected to an organization of its own. */
export interface Creator {
  org: Organization;
  username: string;
  accountId: string;
  /** The same account, as the service's own functions name it. */
  account: { org_id: string; id: string };
}

export function postsIn(world: ServiceBesidePlatform) {
  const templates = new Map<string, AssetRow>();

  async function creator(username?: string): Promise<Creator> {
    const org = await world.service.newOrganization();
    return creatorIn(org, username ?? `p${org.id.slice(-12)}`);
  }

  async function creatorIn(org: Organization, username: string): Promise<Creator> {
    const accountId = await org.connectAccount(username);
    return { org, username, accountId, account: { org_id: org.id, id: accountId } };
  }

  /** A post with files of its own, scheduled for an hour from now. */
  async function scheduledPost(
    org: Organization,
    accountId: string,
    type: PostRow['post_type'] = 'slides',
    fields: Parameters<typeof changePost>[2] = {},
  ): Promise<string> {
    const id = await readyPost(org, type);
    await changePost(org, id, {
      status: 'scheduled',
      scheduled_at: at(world.now() + HOUR_MS),
      social_account_id: accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
      ...fields,
    });
    return id;
  }

  /** A draft with its file. Only the first of a kind goes the long way; the others get a copy of what came of it. */
  async function post(
    { org }: Creator,
    type: PostRow['post_type'] = 'slides',
    title = 'A post',
  ): Promise<string> {
    const { app } = world;
    const id = await org.addPost({ post_type: type, title });
    const name = type === 'video' ? 'tiny.mp4' : 'small.jpg';
    const template = templates.get(type);
    if (!template) {
      const { object_key } = await upload(org, id, name);
      await listAssets(org, id);
      const find = app.db.read.selectFrom('assets').selectAll().where('object_key', '=', object_key);
      templates.set(type, await find.executeTakeFirstOrThrow());
      return id;
    }
    const assetId = app.newId();
    const object_key = template.object_key
      .replace(template.org_id, org.id)
      .replace(template.post_id, id)
      .replace(/[^/]+(?=\.\w+$)/, assetId);
    await app.store.write(object_key, Buffer.from(media(name)));
    const row = {
      ...template,
      org_id: org.id,
      post_id: id,
      id: assetId,
      object_key,
      has_thumbnail: 0 as const,
    };
    await app.db.transact((tx) => tx.insertInto('assets').values(row).execute());
    return id;
  }

  /** Books a slot, by default one that has just come. */
  async function schedule({ org, accountId }: Creator, id: string, inMs?: number): Promise<void> {
    const answer = await org.call('PATCH', `/api/v1/posts/${id}`, {
      status: 'scheduled',
      scheduled_at: at(world.now() + (inMs ?? 2_000)),
      social_account_id: accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
    });
    assert.equal(answer.status, 200, answer.text);
    if (inMs === undefined) world.advance(3_000);
  }

  async function scheduled(creator: Creator, type?: PostRow['post_type']): Promise<string> {
    const id = await post(creator, type);
    await schedule(creator, id);
    return id;
  }

  function publishNow(
    { org, accountId }: Creator,
    id: string,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const body = { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' };
    return org.call('POST', `/api/v1/posts/${id}/publish`, body, headers);
  }

  return { creator, creatorIn, scheduledPost, post, schedule, scheduled, publishNow };
}

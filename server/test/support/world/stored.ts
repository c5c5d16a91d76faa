// What the service has written down: rows, and what its API says of a post.
import assert from 'node:assert/strict';
import type { AttemptRow, PostRow, SocialAccountRow } from '../../../src/db/tables.js';
import type { ServiceBesidePlatform } from './beside-platform.js';
import type { Creator } from './posts.js';

export function storedIn(world: ServiceBesidePlatform) {
  const read = () => world.app.db.read;

  function postRow(id: string): Promise<PostRow & { wait_until: number | null }> {
    return read().selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  function accountRow(id: string): Promise<SocialAccountRow> {
    return read().selectFrom('social_accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** The attempts of a post, oldest first. */
  function attempts(postId: string): Promise<AttemptRow[]> {
    const ofPost = read().selectFrom('dispatches').selectAll().where('post_id', '=', postId);
    return ofPost.orderBy('attempt').execute();
  }

  /** The latest attempt of a post. */
  async function dispatchRow(postId: string): Promise<AttemptRow> {
    const latest = (await attempts(postId)).at(-1);
    assert.ok(latest, 'there is no attempt');
    return latest;
  }

  /** Where a post stands: its status, and how each of its attempts ended. */
  async function outcomesOf(
    { org }: Creator,
    id: string,
  ): Promise<[PostRow['status'], ...AttemptRow['outcome'][]]> {
    const { json } = await org.call('GET', `/api/v1/posts/${id}`);
    return [json.data.status, ...(await attempts(id)).map(({ outcome }) => outcome)];
  }

  async function errorOf({ org }: Creator, id: string): Promise<string | null> {
    return (await org.call('GET', `/api/v1/posts/${id}`)).json.data.last_publish_error;
  }

  return { postRow, accountRow, attempts, dispatchRow, outcomesOf, errorOf };
}

// A post's cover in a list: the thumbnail of its first slide, or its video, of which browsers show a frame.
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { thumbnailKey } from '../../files/keys.js';
import { endOfSteadyAddress } from '../../files/steady-address.js';
import type { Post } from '../schema.js';

export async function addCovers(app: App, orgId: string, posts: Post[]): Promise<void> {
  const keys = await firstFiles(
    app,
    orgId,
    posts.map(({ id }) => id),
  );
  const until = endOfSteadyAddress(app.clock.now());
  for (const post of posts) {
    const key = keys.get(post.id);
    const isVideo = post.post_type === 'video';
    post.cover_url = key === undefined || isVideo ? null : app.store.signDownload(thumbnailKey(key), until);
    post.cover_video_url = key === undefined || !isVideo ? null : app.store.signDownload(key, until);
  }
}

/** One index lookup per post, however many slides it has. */
async function firstFiles(app: App, orgId: string, postIds: string[]): Promise<Map<string, string>> {
  if (postIds.length === 0) return new Map();
  const rows = await app.db.read
    .selectFrom('posts')
    .select([
      'posts.id',
      sql<string | null>`(select object_key from assets
        where assets.org_id = posts.org_id and assets.post_id = posts.id and state = 'ready'
          and (has_thumbnail = 1 or kind = 'video')
        order by position, assets.id limit 1)`.as('object_key'),
    ])
    .where('posts.org_id', '=', orgId)
    .where('posts.id', 'in', postIds)
    .execute();
  return new Map(rows.flatMap(({ id, object_key }) => (object_key === null ? [] : [[id, object_key]])));
}

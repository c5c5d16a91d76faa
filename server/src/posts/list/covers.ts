// A post's cover in a list: the thumbnail of the chosen slide, or its video, of which browsers show a frame.
import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { thumbnailKey } from '../../object-store/object-keys.js';
import { roundedExpiry } from '../../object-store/object-store.js';
import type { Post } from '../schema.js';

export async function addCovers(app: App, orgId: string, posts: Post[]): Promise<void> {
  const keys = await firstFiles(
    app,
    orgId,
    posts.map(({ id }) => id),
  );
  const chosen = await chosenSlides(app, orgId, posts);
  const until = roundedExpiry(app.clock.now());
  for (const post of posts) {
    const key = chosen.get(post.id) ?? keys.get(post.id);
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

/** The slides of posts whose cover is not the first. One that does not exist, or has no thumbnail, is left out. */
async function chosenSlides(app: App, orgId: string, posts: Post[]): Promise<Map<string, string>> {
  const others = posts.filter(({ cover_index }) => cover_index !== null && cover_index > 0);
  if (others.length === 0) return new Map();
  const rows = await app.db.read
    .selectFrom('assets')
    .select(['post_id', 'object_key', 'has_thumbnail'])
    .where('org_id', '=', orgId)
    .where(
      'post_id',
      'in',
      others.map(({ id }) => id),
    )
    .where('state', '=', 'ready')
    .orderBy('post_id')
    .orderBy('position')
    .orderBy('id')
    .execute();
  const slides = new Map<string, typeof rows>();
  for (const row of rows) slides.set(row.post_id, [...(slides.get(row.post_id) ?? []), row]);
  return new Map(
    others.flatMap(({ id, cover_index }) => {
      const slide = slides.get(id)?.[cover_index ?? 0];
      return slide?.has_thumbnail ? [[id, slide.object_key]] : [];
    }),
  );
}

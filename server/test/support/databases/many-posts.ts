// Thousands of posts, of every kind that the library distinguishes. Written directly to the database, with their counters,
// because the API would take minutes. The test knows which of them each filter must find.

import type { App } from '../../../src/app/app.js';
import { thumbnailKey } from '../../../src/object-store/object-keys.js';
import { titleKey } from '../../../src/posts/text-keys.js';
import { insertPosts, readyFile, storeFiles, VIDEO } from '../world/due-posts.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

const STATUSES = [
  ...(['posted', 'posted', 'draft', 'posted', 'scheduled'] as const),
  ...(['draft', 'posted', 'posted', 'archived', 'draft'] as const),
];
const SUBJECTS = ['maps', 'ridges', 'harbours', 'clouds', 'stoves', 'knots', 'boots'];

export interface KnownPost {
  id: string;
  title: string;
  status: (typeof STATUSES)[number];
  type: 'slides' | 'video';
  accountId: string | null;
}

/**
 * The newest first, as in lists. Status, type, account and subject repeat with different periods, so there are some of
 * every kind. Only the `withFiles` newest have files in the store; the others have rows for them, but a download answers
 * that the file is gone.
 */
export async function addManyPosts(
  app: App,
  orgId: string,
  accountIds: string[],
  { posts, withFiles, thumbnail }: { posts: number; withFiles: number; thumbnail: Buffer },
): Promise<KnownPost[]> {
  const now = app.clock.now();
  const owners = [null, ...accountIds];
  const made = Array.from({ length: posts }, (_, n) => seedOf(app, orgId, owners, n, now));
  const files = made
    .slice(0, withFiles)
    .map(({ asset: { kind, object_key } }): [string, Buffer] =>
      kind === 'video' ? [object_key, VIDEO] : [thumbnailKey(object_key), thumbnail],
    );
  await storeFiles(app, files);
  await insertPosts(app, made);
  return made.map(({ post }) => ({
    id: post.id,
    title: post.title,
    status: post.status,
    type: post.post_type,
    accountId: post.social_account_id,
  }));
}

function seedOf(app: App, orgId: string, owners: (string | null)[], n: number, now: number) {
  const id = app.newId();
  const status = STATUSES[n % STATUSES.length] as (typeof STATUSES)[number];
  const isVideo = n % 9 === 4;
  const title = `Number ${n + 1}, of ${SUBJECTS[n % SUBJECTS.length]}`;
  const caption = `What there is to say of ${title}.`;
  const at = now - n * MINUTE_MS;
  const owner = owners[Math.floor(n / 7) % owners.length] ?? null;
  const post = {
    org_id: orgId,
    id,
    post_type: isVideo ? ('video' as const) : ('slides' as const),
    title,
    caption,
    status,
    scheduled_at: status === 'scheduled' ? now + DAY_MS + n * MINUTE_MS : null,
    posted_at: status === 'posted' ? at : null,
    // A scheduled post always has an account.
    social_account_id: status === 'scheduled' ? (owner ?? (owners.at(-1) as string)) : owner,
    privacy_level: 'SELF_ONLY' as const,
    title_key: titleKey(title),
    created_at: at,
    updated_at: at,
  };
  const asset = {
    ...readyFile(app, post, 100_000),
    has_thumbnail: isVideo ? (0 as const) : (1 as const),
  };
  return { post, asset };
}

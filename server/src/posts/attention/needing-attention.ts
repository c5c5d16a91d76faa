// Which posts need attention: the last publish failed or its outcome is unknown, the account must be connected again, the post
// is scheduled without media or with a rejected file, it is one of the next and will fail, or it is a draft whose time has passed.
import { expressionBuilder, type Selectable, sql } from 'kysely';
import type { Reader } from '../../db/database.js';
import type { PostTable } from '../../db/tables.js';

/** Literal, so that both engines see that the index `posts_failed` fits. */
export const isNotArchived = sql<boolean>`status <> 'archived'`;

/** Found by the index of each cause. `failing` are those that will fail (will-fail.ts). */
export function needingAttention(read: Reader, orgId: string, now: number, failing: readonly string[]) {
  const needing = read
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('last_publish_error', 'is not', null)
    .where(isNotArchived)
    .union(
      read
        .selectFrom('posts')
        .select('id')
        .where('org_id', '=', orgId)
        .where('status', '=', 'scheduled')
        .where('social_account_id', 'in', unusableAccounts(read, orgId)),
    )
    .union(withPassedTime(read, orgId, now))
    .union(withoutMedia(read, orgId).select('post_id as id'))
    .union(withRejectedFile(read, orgId).select('booked_slots.post_id as id'));
  if (failing.length === 0) return needing;
  return needing.union(
    read.selectFrom('posts').select('id').where('org_id', '=', orgId).where('id', 'in', failing),
  );
}

/** The same of one post, named `p` in its statement: searches ask it of each post that they look at. */
export function needsAttention(read: Reader, orgId: string, now: number, failing: readonly string[]) {
  const eb = expressionBuilder<{ p: Selectable<PostTable> }, 'p'>();
  const id = eb.ref('p.id');
  return eb.and([
    eb('p.status', '<>', 'archived'),
    eb.or([
      eb('p.last_publish_error', 'is not', null),
      eb.and([eb('p.status', '=', 'draft'), eb('p.scheduled_at', '<=', now)]),
      ...(failing.length === 0 ? [] : [eb('p.id', 'in', failing)]),
      eb.and([
        eb('p.status', '=', 'scheduled'),
        eb.or([
          eb.exists(unusableAccounts(read, orgId).where('id', '=', eb.ref('p.social_account_id'))),
          eb.exists(withoutMedia(read, orgId).select('post_id').where('post_id', '=', id)),
          eb.exists(unusableFiles(read, orgId).select('id').where('post_id', '=', id)),
        ]),
      ]),
    ]),
  ]);
}

/** Drafts for whose time nothing was booked. */
export const withPassedTime = (read: Reader, orgId: string, now: number) =>
  read
    .selectFrom('posts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('status', '=', 'draft')
    .where('scheduled_at', '<=', now);

/** Accounts that must be connected again. */
export const unusableAccounts = (read: Reader, orgId: string) =>
  read
    .selectFrom('social_accounts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('status', '<>', 'connected');

/** Files that were fetched and rejected. */
export const unusableFiles = (read: Reader, orgId: string) =>
  read
    .selectFrom('assets')
    .where('assets.org_id', '=', orgId)
    // Literal, like the condition of the index.
    .where(sql<boolean>`assets.state = 'rejected' and assets.is_fetched = 1`);

/** Scheduled posts with such a file; one row for each file. */
export const withRejectedFile = (read: Reader, orgId: string) =>
  unusableFiles(read, orgId).innerJoin('booked_slots', (join) =>
    join
      .onRef('booked_slots.org_id', '=', 'assets.org_id')
      .onRef('booked_slots.post_id', '=', 'assets.post_id'),
  );

/** Scheduled posts without a ready file. */
export const withoutMedia = (read: Reader, orgId: string) =>
  read
    .selectFrom('booked_slots')
    .where('booked_slots.org_id', '=', orgId)
    .where(sql<boolean>`booked_slots.has_media = 0`);

// Scheduled posts whose files need attention: missing, on their way, or rejected after Airdate was asked to fetch them.
import type { Reader } from '../../db/database.js';
import { missingFinding, NOTHING_MISSING } from '../readiness/findings.js';
import { unusableFiles, withoutMedia, withRejectedFile } from './needing-attention.js';
import { counted, type FailedPost, type Group, groupIfAny } from './rows.js';
import { MAX_COUNTED } from './schema.js';

/** Whether the slot of the post has come and it waits for a file. */
export const isWaitingForFile = ({ wait_reason, scheduled_at }: FailedPost): boolean =>
  scheduled_at !== null && wait_reason === 'file';

/** Without media: those that have a file on its way, together with those that wait for one, and those that have nothing. */
export async function emptySlots(
  read: Reader,
  orgId: string,
  now: number,
  waiting: Group['posts'],
): Promise<Group[]> {
  const slots = await withoutMedia(read, orgId)
    .select((eb) => {
      const files = eb
        .selectFrom('assets')
        .select('assets.id')
        .where('assets.org_id', '=', orgId)
        .whereRef('assets.post_id', '=', 'booked_slots.post_id');
      const comes = files
        .where('assets.state', '=', 'pending')
        .where((e) => e.or([e('assets.is_fetched', '=', 1), e('assets.expires_at', '>', now)]));
      const rejected = unusableFiles(read, orgId).select('id');
      return [
        'booked_slots.post_id as id',
        'booked_slots.scheduled_at',
        eb.exists(comes).as('is_uploading'),
        eb.exists(rejected.where('post_id', '=', eb.ref('booked_slots.post_id'))).as('is_rejected'),
      ];
    })
    .orderBy('booked_slots.scheduled_at')
    .orderBy('booked_slots.post_id')
    .limit(MAX_COUNTED)
    .execute();
  // A rejected file has a row of its own, which says what to do.
  const others = slots.filter(({ is_rejected }) => !is_rejected);
  const uploading = others.filter(({ is_uploading }) => is_uploading);
  const known = new Set(uploading.map(({ id }) => id));
  return [
    ...groupIfAny(
      'no_media',
      others.filter(({ is_uploading }) => !is_uploading),
      (n) => counted(n, 'scheduled post has no media.', 'scheduled posts have no media.'),
    ),
    ...groupIfAny('upload_unfinished', [...waiting.filter(({ id }) => !known.has(id)), ...uploading], (n) =>
      counted(
        n,
        'scheduled post waits for its upload to finish.',
        'scheduled posts wait for their uploads to finish.',
      ),
    ),
  ];
}

/** Found by their files, so those of later slots are told of too. Costs as much as there are rejected files. */
export async function rejectedFiles(read: Reader, orgId: string): Promise<Group[]> {
  const posts = await withRejectedFile(read, orgId)
    .select((eb) => [
      'booked_slots.post_id as id',
      'booked_slots.scheduled_at',
      eb.fn.countAll<number>().as('rejected'),
      eb.fn.max<string>('assets.filename').as('rejectedName'),
      eb.fn.max<string | null>('assets.reason').as('reason'),
    ])
    .groupBy(['booked_slots.post_id', 'booked_slots.scheduled_at'])
    .orderBy('booked_slots.scheduled_at')
    .orderBy('booked_slots.post_id')
    .limit(MAX_COUNTED)
    .execute();
  const [first] = posts;
  if (!first) return [];
  const { rejected, rejectedName, reason } = first;
  const finding = missingFinding({ ...NOTHING_MISSING, rejected, rejectedName, reason: reason ?? '' });
  const several = 'files that were to be fetched were rejected. Remove or replace them.';
  return [
    {
      cause: 'will_fail',
      code: 'media_rejected',
      count: posts.length,
      posts,
      message: counted(
        posts.length,
        `scheduled post will fail: ${finding?.detail ?? ''}`,
        `scheduled posts will fail: ${several}`,
      ),
    },
  ];
}

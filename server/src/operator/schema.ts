// The release on the wire.
import { type Static, Type } from 'typebox';
import { nullable, ref, timestamp, uuid } from '../request/schema.js';

export const ReleaseOptions = Type.Object(
  {
    orphans: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Allows the first sweep after the release to remove files without a database row, even if they are more than 5 % of all files',
      }),
    ),
    all_slots: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also returns posts with later slots to draft',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ all_slots: true }] },
);
export type ReleaseOptions = Static<typeof ReleaseOptions>;
/** The body may be omitted. */
export const ReleaseBody = nullable(ReleaseOptions);

const ReleasedPost = Type.Object({ org_id: uuid(), post_id: uuid(), scheduled_at: timestamp() });
const ReleasedAttempt = Type.Object({ org_id: uuid(), post_id: uuid(), dispatch_id: uuid() });

export const Release = Type.Object(
  {
    safe_since: nullable(
      timestamp('When safe mode began; null if only a damaged note in the file store was replaced'),
    ),
    reason: Type.String({ description: 'Why it began' }),
    restored_to: nullable(timestamp('When the backup was made, if the operator gave the time')),
    drafted: Type.Array(ReleasedPost, {
      description: 'Scheduled posts that returned to draft; they may have been published since the backup',
    }),
    kept: Type.Array(ReleasedPost, { description: 'Posts that stay scheduled' }),
    unknown: Type.Array(ReleasedAttempt, {
      description:
        'Attempts that were being sent when the backup was made; a person must check and resolve them',
    }),
    observed: Type.Array(ReleasedAttempt, {
      description: 'Attempts that the platform had accepted; workers poll their outcome as usual',
    }),
    first_sweep_at: timestamp('Files without a database row are not removed before this time'),
  },
  {
    $id: 'Release',
    examples: [
      {
        safe_since: '2026-12-01T09:00:00Z',
        reason: 'The database is older than the file store: it was restored from a backup.',
        restored_to: null,
        drafted: [
          {
            org_id: '019a8b1e-0000-7000-8000-1b2c3d4e5f60',
            post_id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55',
            scheduled_at: '2026-12-01T08:00:00Z',
          },
        ],
        kept: [],
        unknown: [],
        observed: [],
        first_sweep_at: '2026-12-02T09:05:00Z',
      },
    ],
  },
);
export type Release = Static<typeof Release>;
export const ReleaseRef = ref<Release>('Release');

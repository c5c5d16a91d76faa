// The only place where a row becomes a post on the wire, and where its ETag is made.

import { toTimestamp } from '../core/clock.js';
import type { VersionedPost } from '../db/epoch.js';
import type { PostRow } from '../db/tables.js';
import { labelsOf } from './labels/post-labels.js';
import type { Post } from './schema.js';
import { toggleFields } from './toggles.js';

/** The ETag of a post without `include`, which shows nothing but its row. */
export const etagOf = ({ epoch, version }: Pick<VersionedPost, 'epoch' | 'version'>) =>
  `"${epoch}-${version}"`;

const moment = (ms: number | null) => (ms === null ? null : toTimestamp(ms));

export function presentPost(row: PostRow): Post {
  return {
    id: row.id,
    org_id: row.org_id,
    post_type: row.post_type,
    title: row.title,
    caption: row.caption,
    hashtags: row.hashtags,
    status: row.status,
    scheduled_at: moment(row.scheduled_at),
    last_slot: moment(row.last_slot),
    posted_at: moment(row.posted_at),
    social_account_id: row.social_account_id,
    publish_mode: row.publish_mode,
    publish_retries: row.publish_retries,
    last_publish_error: row.last_publish_error,
    in_inbox: row.last_outcome === 'in_inbox',
    privacy_level: row.privacy_level,
    ...toggleFields(row),
    labels: labelsOf(row),
    cover_index: row.cover_index,
    cover_ms: row.cover_ms,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

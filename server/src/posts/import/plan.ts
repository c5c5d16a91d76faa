// A line of an import as a row of posts, by the rules of a request for a single post.
import type { Insertable } from 'kysely';
import type { TxApp } from '../../api/app.js';
import type { PostRow, PostTable } from '../../db/tables.js';
import { AppError } from '../../ground/problems.js';
import { coverMustFit } from '../cover.js';
import { labelsColumn } from '../labels/on-posts.js';
import { foldForSearch } from '../search/text.js';
import { plannedSlot } from '../slot.js';
import { titleKey } from '../title-key.js';
import { toggleColumns } from '../toggles.js';
import type { Fields, MediaRules } from './columns.js';

/** A post that nothing speaks against. */
export interface PlannedPost {
  row: PostRow & Required<Pick<Insertable<PostTable>, 'title_key' | 'search_text' | 'search_mark'>>;
  labelIds: string[];
  mediaUrls: string[];
}

type Tell = (column: string, message: string) => void;

/** Null if the fields do not fit together. */
export function planPost(
  { newId, config }: Pick<TxApp, 'newId' | 'config'>,
  orgId: string,
  now: number,
  fields: Fields,
  mostMedia: MediaRules['most'],
  tell: Tell,
): PlannedPost | null {
  const { title, post_type = 'slides', media_urls: mediaUrls = [], labels: labelIds = [] } = fields;
  const most = mostMedia[post_type];
  if (title === undefined) tell('title', 'is required');
  if (mediaUrls.length > most)
    tell(
      'media_urls',
      most === 1 ? 'must be one address for a video' : `must have at most ${most} addresses`,
    );
  if (fields.scheduled_at !== undefined && fields.status === undefined)
    tell('status', 'is required with scheduled_at: scheduled publishes it then, draft only keeps the time');
  if (fields.account !== undefined && fields.social_account_id != null)
    tell('account', 'cannot be used together with social_account_id');

  const draft: PostRow = {
    org_id: orgId,
    id: newId(),
    post_type,
    title: title ?? '',
    caption: fields.caption ?? null,
    hashtags: fields.hashtags ?? null,
    status: 'draft',
    scheduled_at: null,
    last_slot: null,
    posted_at: null,
    social_account_id: fields.account ?? fields.social_account_id ?? null,
    publish_mode: fields.publish_mode ?? 'direct',
    publish_retries: 0,
    last_publish_error: null,
    last_outcome: null,
    privacy_level: fields.privacy_level ?? null,
    ...toggleColumns(fields),
    labels: labelsColumn(labelIds),
    cover_index: fields.cover_index ?? null,
    cover_ms: fields.cover_ms ?? null,
    created_at: now,
    updated_at: now,
    version: 1,
  };
  // A draft may have a time without a slot, as by PATCH.
  const slot = fields.scheduled_at === undefined ? {} : { scheduled_at: fields.scheduled_at };
  const status = fields.status === 'scheduled' ? 'scheduled' : undefined;
  const isFine = [
    obeys(() => coverMustFit(post_type, fields), tell),
    obeys(() => plannedSlot(draft, slot, status, now, config.scheduleMinLeadMs), tell),
  ].every(Boolean);
  if (!isFine) return null;
  const post: PostRow = { ...draft, ...slot, status: status ?? 'draft' };
  return {
    row: {
      ...post,
      title_key: titleKey(post.title),
      search_text: foldForSearch(post),
      search_mark: post.version,
    },
    labelIds,
    mediaUrls,
  };
}

/** Tells of the rules that a check finds broken. */
function obeys(check: () => unknown, tell: Tell): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { pointer, message } of error.fields) tell(pointer.slice(1), message);
    return false;
  }
}

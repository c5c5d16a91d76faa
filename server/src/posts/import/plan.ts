// A line of an import as a row of posts, by the rules of a request for a single post.

import type { TxApp } from '../../app/app.js';
import { AppError } from '../../core/problems.js';
import type { PostRow } from '../../db/tables.js';
import { assertCoverFits } from '../cover.js';
import { newDraft } from '../create.js';
import { labelsColumn } from '../labels/post-labels.js';
import { type NewPost, newPost } from '../rows.js';
import { slotChanges } from '../slot.js';
import { toggleColumns } from '../toggles.js';
import type { LineFields, MaxFiles } from './columns.js';

export interface PlannedPost extends NewPost {
  mediaUrls: string[];
}

type ReportProblem = (column: string, message: string) => void;

/** Null if the fields do not fit together. */
export function planPost(
  { newId, config }: Pick<TxApp, 'newId' | 'config'>,
  orgId: string,
  now: number,
  fields: LineFields,
  maxFilesOf: MaxFiles,
  tell: ReportProblem,
): PlannedPost | null {
  const { title, post_type = 'slides', media_urls: mediaUrls = [], labels: labelIds = [] } = fields;
  const maxFiles = maxFilesOf[post_type];
  if (title === undefined) tell('title', 'is required');
  if (mediaUrls.length > maxFiles)
    tell(
      'media_urls',
      maxFiles === 1 ? 'must be one address for a video' : `must have at most ${maxFiles} addresses`,
    );
  if (fields.account !== undefined && fields.social_account_id != null)
    tell('account', 'cannot be used together with social_account_id');

  const draft: PostRow = {
    ...newDraft({ org_id: orgId, id: newId(), title: title ?? '', post_type, created_at: now }),
    caption: fields.caption ?? null,
    hashtags: fields.hashtags ?? null,
    social_account_id: fields.account ?? fields.social_account_id ?? null,
    publish_mode: fields.publish_mode ?? 'direct',
    privacy_level: fields.privacy_level ?? null,
    ...toggleColumns(fields),
    labels: labelsColumn(labelIds),
    cover_index: fields.cover_index ?? null,
    cover_ms: fields.cover_ms ?? null,
  };
  // A draft may have a time without a slot, as by PATCH.
  const slot = fields.scheduled_at === undefined ? {} : { scheduled_at: fields.scheduled_at };
  const status = fields.status === 'scheduled' ? 'scheduled' : undefined;
  const isFine = [
    passesRules(() => assertCoverFits(post_type, fields), tell),
    passesRules(() => slotChanges(draft, slot, status, now, config.scheduleMinLeadMs), tell),
  ].every(Boolean);
  if (!isFine) return null;
  const post: PostRow = { ...draft, ...slot, status: status ?? 'draft' };
  return { ...newPost(post, labelIds), mediaUrls };
}

/** Reports the rules that a check finds broken. */
function passesRules(check: () => unknown, tell: ReportProblem): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { pointer, message } of error.fields) tell(pointer.slice(1), message);
    return false;
  }
}

// A new post: an empty draft, and the changes that the request asks for, by the rules of PATCH, written as one row.

import type { TxApp } from '../app/app.js';
import type { Tx } from '../db/database.js';
import type { VersionedPost } from '../db/epoch.js';
import type { PostRow } from '../db/tables.js';
import type { CallerWithAddress } from '../request/caller.js';
import { planChanges } from './posts.js';
import { newPost } from './rows.js';
import type { CreatePost } from './schema.js';
import { toggleColumns } from './toggles.js';
import { insertPost } from './write.js';

interface Copied {
  /** The id of a post that is copied: its files have been copied already, under this id. */
  id?: string;
  /** Writes the rows of the copied files, in the transaction that creates the post. */
  writeFiles?: () => Promise<void>;
}

/** Fails if the post breaks a rule, before anything is written. */
export async function createPost(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { options: _reserved, title, post_type = 'slides', ...input }: CreatePost,
  { id = app.newId(), writeFiles }: Copied = {},
): Promise<VersionedPost> {
  const draft = newDraft({ org_id: caller.orgId, id, title, post_type, created_at: app.clock.now() });
  const { changes, labelIds } = await planChanges(app, tx, caller, draft, input);
  // A new row waits for nothing.
  const { wait_until: _none, ...columns } = changes;
  const planned = newPost({ ...draft, ...(columns as Partial<PostRow>) }, labelIds ?? []);
  return insertPost(app, tx, caller, planned, writeFiles);
}

/** The row of a draft that has nothing but a title. */
export const newDraft = (
  given: Pick<PostRow, 'org_id' | 'id' | 'title' | 'post_type' | 'created_at'>,
): PostRow => ({
  ...given,
  caption: null,
  hashtags: null,
  status: 'draft',
  scheduled_at: null,
  last_slot: null,
  posted_at: null,
  social_account_id: null,
  publish_mode: 'direct',
  publish_retries: 0,
  last_publish_error: null,
  last_publish_error_code: null,
  wait_reason: null,
  last_outcome: null,
  privacy_level: null,
  ...toggleColumns({}),
  labels: null,
  cover_index: null,
  cover_ms: null,
  updated_at: given.created_at,
  version: 1,
});

// Records that a caller changed what a post says or how it goes out. Slots have rows of their own.
import type { TxApp } from '../api/app.js';
import type { ActingCaller } from '../api/caller.js';
import { recordEdit } from '../audit/record.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import { TOGGLES } from './toggles.js';

const CONTENT = ['title', 'caption', 'hashtags', 'labels', 'cover_index', 'cover_ms'] as const;

/** Chosen with the slot, whose row says so. */
const SLOT = ['scheduled_at', 'social_account_id', 'privacy_level', 'publish_mode', ...TOGGLES] as const;

export async function recordEdits(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  changes: readonly { before: PostRow; after: PostRow }[],
): Promise<void> {
  for (const { before, after } of changes) {
    const isOfSlot =
      before.status !== after.status ||
      (after.status === 'scheduled' && before.scheduled_at !== after.scheduled_at);
    const fields = [...CONTENT, ...(isOfSlot ? [] : SLOT)].filter((name) => before[name] !== after[name]);
    if (fields.length > 0) await recordEdit(app, tx, caller, after, fields);
  }
}

// The chosen cover of a post, which depends on its type.

import { type FieldError, invalid } from '../core/problems.js';
import type { PostRow } from '../db/tables.js';

/** Null clears either field of either type. */
export function assertCoverFits(
  postType: PostRow['post_type'],
  { cover_index, cover_ms }: { cover_index?: number | null; cover_ms?: number | null },
): void {
  const errors: FieldError[] = [];
  if (postType !== 'slides' && cover_index != null)
    errors.push({ pointer: '/cover_index', message: 'is only for posts of the type slides; use cover_ms' });
  if (postType !== 'video' && cover_ms != null)
    errors.push({ pointer: '/cover_ms', message: 'is only for posts of the type video; use cover_index' });
  if (errors.length > 0) throw invalid(errors);
}

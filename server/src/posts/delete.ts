// Deleting posts, with their files and attempts. What a deletion can be refused for is checked before anything is written, so
// that one of several can be refused alone.

import type { TxApp } from '../app/app.js';
import { AppError } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import type { CallerWithAddress } from '../request/caller.js';
import { assertIfMatch } from '../request/conditional-requests.js';
import { assertNotSending } from './attempts.js';
import { lockPost } from './posts.js';
import { etagOf } from './present.js';
import type { PostDeletion } from './rows.js';
import { allows } from './state.js';
import { deletePosts } from './write.js';

/** Returns the keys of its objects, to be removed after the commit. */
export async function deletePost(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  ifMatch?: string,
): Promise<string[]> {
  const post = await lockPost(tx, caller, id);
  const planned = await planDeletion(app, tx, post);
  assertIfMatch(ifMatch, etagOf(post));
  return deletePosts(app, tx, caller, [planned]);
}

/** Fails if the locked post may not be deleted. Writes nothing. */
export async function planDeletion(app: TxApp, tx: Tx, post: PostRow): Promise<PostDeletion> {
  if (!allows('delete', post.status))
    throw new AppError(
      'wrong_state',
      `A post that is ${post.status} cannot be deleted, only a draft or an archived one. Archive it first.`,
    );
  return { before: post, outcomes: await assertNotSending(app, tx, post) };
}

// One action on up to 100 posts, in one transaction. Everything that a post can be refused for is checked before anything is
// written, so a refused post is unchanged and stops no other, without savepoints.

import { requireAccountInUse } from '../accounts/accounts.js';
import type { TxApp } from '../app/app.js';
import { isRepresentable } from '../core/clock.js';
import { AppError, type FieldError, invalid, notFound } from '../core/problems.js';
import { daysIn } from '../core/time-zones.js';
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import { assertScope, type CallerWithAddress } from '../request/caller.js';
import type { BulkPosts } from './bulk-schema.js';
import { planDeletion } from './delete.js';
import { assertEditable, lockPosts, planUpdate } from './posts.js';
import type { PostDeletion, PostUpdate } from './rows.js';
import type { UpdatePost } from './schema.js';
import { SLOT_COLUMNS } from './slot.js';
import { deletePosts, updatePosts } from './write.js';

/** What became of one of the posts. */
export type BulkResult =
  | { kind: 'changed'; id: string; post: PostRow }
  | { kind: 'deleted'; id: string }
  | { kind: 'refused'; id: string; problem: AppError };

/** In the order of the ids, and the keys of objects that are to be removed after the commit. */
interface BulkDone {
  results: BulkResult[];
  objectKeys: string[];
}

export async function changeInBulk(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  input: BulkPosts,
): Promise<BulkDone> {
  if (input.action === 'schedule' || input.action === 'shift')
    assertScope(caller, 'posts:publish', 'Booking or moving a slot');
  const changeOf = readAction(input);
  // An account that cannot be used is a mistake of the request, not of each post.
  if (input.social_account_id) await requireAccountInUse(tx, caller.orgId, input.social_account_id);
  const posts = new Map((await lockPosts(tx, caller, input.ids)).map((post) => [post.id, post]));

  const updates: PostUpdate[] = [];
  const deletions: PostDeletion[] = [];
  const problems = new Map<string, AppError>();
  for (const [index, id] of input.ids.entries())
    try {
      const post = posts.get(id.toLowerCase());
      if (!post) throw notFound('post');
      if (changeOf === null) deletions.push(await planDeletion(app, tx, post));
      else {
        assertEditable(post);
        updates.push(await planUpdate(app, tx, caller, post, changeOf(post, index)));
      }
    } catch (error) {
      // Nothing was written for the post. Any other error ends the request.
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      problems.set(id, error);
    }

  const updated = (await updatePosts(app, tx, caller, updates)).values();
  const objectKeys = await deletePosts(app, tx, caller, deletions);
  const results = input.ids.map((id): BulkResult => {
    const problem = problems.get(id);
    if (problem) return { kind: 'refused', id, problem };
    return changeOf === null
      ? { kind: 'deleted', id }
      : { kind: 'changed', id, post: updated.next().value as PostRow };
  });
  return { results, objectKeys };
}

/** What a request for a post alone would send. Null: it is deleted. */
type ChangeOf = ((post: PostRow, index: number) => Omit<UpdatePost, 'options'>) | null;

function readAction(input: BulkPosts): ChangeOf {
  const errors = mistakesIn(input);
  const shift = daysIn(input.time_zone ?? 'UTC');
  if (shift === null)
    errors.push({ pointer: '/time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' });
  if (errors.length > 0 || shift === null) throw invalid(errors);
  switch (input.action) {
    case 'schedule': {
      const { action: _action, ids: _ids, options: _reserved, scheduled_at = [], ...slot } = input;
      return (_post, index) => ({ ...slot, status: 'scheduled', scheduled_at: scheduled_at[index] ?? null });
    }
    case 'shift':
      return (post) => {
        if (post.status !== 'scheduled' || post.scheduled_at === null)
          throw new AppError(
            'wrong_state',
            `A post that is ${post.status} has no slot to move. Only scheduled posts have one.`,
          );
        const slot = shift(post.scheduled_at, input.days ?? 0);
        if (!isRepresentable(slot)) throw invalid([BEYOND_LAST_YEAR]);
        return { scheduled_at: new Date(slot).toISOString() };
      };
    case 'unschedule':
      return () => ({ status: 'draft' });
    case 'delete':
      return null;
  }
}

const BEYOND_LAST_YEAR: FieldError = {
  pointer: '/days',
  message: 'moves the slot of this post beyond the year 9999, the last that has four digits',
};

const FIELDS = {
  // `options` has no column: the name is reserved.
  schedule: [...SLOT_COLUMNS, 'options'],
  shift: ['days', 'time_zone'],
  unschedule: [],
  delete: [],
} as const satisfies Record<BulkPosts['action'], (keyof BulkPosts)[]>;

/** Rules that the schema cannot express. */
function mistakesIn(input: BulkPosts): FieldError[] {
  const { action, ids, scheduled_at, days } = input;
  const errors: FieldError[] = [];
  const fail = (name: string, message: string) => errors.push({ pointer: `/${name}`, message });
  const allowed: readonly string[] = ['action', 'ids', ...FIELDS[action]];
  for (const name of Object.keys(input))
    if (!allowed.includes(name)) fail(name, `is not a field of the action ${action}`);
  if (new Set(ids.map((id) => id.toLowerCase())).size < ids.length)
    fail('ids', 'must not contain duplicates');
  if (action === 'schedule' && scheduled_at?.length !== ids.length)
    fail(
      'scheduled_at',
      scheduled_at ? 'must have as many entries as ids' : `is required for the action ${action}`,
    );
  if (action === 'shift' && !days)
    fail('days', days === 0 ? 'must not be 0' : `is required for the action ${action}`);
  return errors;
}

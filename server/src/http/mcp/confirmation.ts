// The two steps of publishing and scheduling. The first returns a preflight and a confirmation, which is signed for exactly
// the state that was shown: version of the post, account, files, options and time. The second is refused if any of it differs.
import { hash } from 'node:crypto';
import { getAccount } from '../../accounts/accounts.js';
import { findAssets, isReady, listAssets } from '../../assets/assets.js';
import { toTimestamp } from '../../core/clock.js';
import { AppError } from '../../core/problems.js';
import type { Reader, Tx } from '../../db/database.js';
import type { VersionedPost } from '../../db/epoch.js';
import type { AssetRow } from '../../db/tables.js';
import { getPostRow } from '../../posts/posts.js';
import { etagOf } from '../../posts/present.js';
import { TOGGLES } from '../../posts/toggles.js';
import { preflight } from '../../publishing/preflight.js';
import { IdempotencyRecord } from '../../request/idempotency-record.js';
import type { ToolCall } from './tool.js';

/** How long a person may take to agree. */
const VALID_MS = 3_600_000;

/** Something that goes out. `at` is null for now. */
export interface Plan {
  act: 'publish' | 'schedule';
  at: number | null;
}

/** Everything that the confirmation is bound to. */
async function readPostState(read: Reader | Tx, post: VersionedPost, { act, at }: Plan): Promise<string[]> {
  const files = await findAssets(read, post.org_id, post.id);
  return [
    'confirmation',
    act,
    post.org_id,
    post.id,
    etagOf(post),
    post.social_account_id ?? '',
    post.publish_mode,
    post.privacy_level ?? '',
    TOGGLES.map((name) => post[name]).join(''),
    files.flatMap(partOfPost).join(' '),
    at === null ? 'now' : toTimestamp(at),
  ];
}

/** Files that were to be fetched belong to the post, whatever has become of them. */
const partOfPost = (file: AssetRow): string[] => {
  if (isReady(file)) return [file.object_key];
  return file.is_fetched === 1 ? [file.object_key, file.state] : [];
};

/** The first step. `confirm` is null if the preflight found an error and `needsReady`. */
export async function askToConfirm(call: ToolCall, id: string, plan: Plan, needsReady: boolean) {
  const { app, caller } = call;
  // First, because it finds files that have just arrived: they change the post.
  const { data: files, pending } = await listAssets(app, caller, id);
  const post = await getPostRow(app, caller, id);
  const state = await readPostState(app.db.read, post, plan);
  const found = await preflight(app, caller, id);
  const after = await readPostState(app.db.read, await getPostRow(app, caller, id), plan);
  if (state.join('\n') !== after.join('\n'))
    throw new AppError(
      'precondition_failed',
      'The post is being changed at this moment. Call the tool again.',
    );
  const account = post.social_account_id && (await getAccount(app, caller, post.social_account_id));
  const mayGo = found.ready || !needsReady;
  return {
    confirm: mayGo ? app.seal.sign(toTimestamp(app.clock.now()), state) : null,
    next: mayGo ? SHOW_IT : REPAIR_IT,
    goes_out: {
      at: plan.at === null ? 'now' : toTimestamp(plan.at),
      account: account ? { id: account.id, platform: account.platform, username: account.username } : null,
      title: post.title,
      caption: post.caption,
      hashtags: post.hashtags,
      files: files.map(({ filename, content_type, position }) => ({ position, filename, content_type })),
      // The post waits for them.
      files_to_come: pending.filter(({ origin }) => origin === 'address').map(({ filename }) => filename),
      mode: post.publish_mode,
      privacy_level: post.privacy_level,
      toggles_on: TOGGLES.filter((name) => post[name] === 1),
    },
    preflight: found,
  };
}

const SHOW_IT =
  'Nothing has happened yet. Show goes_out and the problems of the preflight to the person. Only if they agree, call this tool again with the same arguments and confirm.';
const REPAIR_IT =
  'Nothing has happened. Repair the errors of the preflight with post_update or post_media_from_file, then call this tool again without confirm. A rejected file must be removed by the person, in the dashboard or over the API.';

/** The second step: fails unless the post is still what the confirmation was made for. */
export async function assertConfirmed(
  { app }: ToolCall,
  read: Reader | Tx,
  post: VersionedPost,
  plan: Plan,
  confirm: string,
): Promise<void> {
  const since = app.seal.verify(confirm, await readPostState(read, post, plan));
  if (since === null)
    throw new AppError(
      'precondition_failed',
      'This confirmation is not for the post as it is now: the post, its files, its account or the time has changed, so nothing was done. Call the tool again without confirm, and show the new preflight to the person.',
    );
  if (app.clock.now() - Date.parse(since) > VALID_MS)
    throw new AppError(
      'precondition_failed',
      'This confirmation is more than an hour old, so nothing was done. Call the tool again without confirm.',
    );
}

/** A repeated second step gets the first response, like a repeated request with the same Idempotency-Key. */
export function recordOf({ app, caller }: ToolCall, post: string, plan: Plan, confirm: string) {
  const digest = (...parts: unknown[]) => hash('sha256', JSON.stringify(parts), 'hex');
  return new IdempotencyRecord(
    app,
    caller.orgId,
    `mcp-${digest(post, confirm)}`,
    digest(plan.act, post, plan.at, confirm),
  );
}

// Publish now: the steps of a scheduled publish, inside the request.
//
// The response is built from the attempt's row, so a repeated request with the same Idempotency-Key gets the same response,
// even if the process that served the first one has died. The key's record commits with the claim and points at the attempt.
import { retryAfter } from '../accounts/setbacks.js';
import { findAssets } from '../assets/assets.js';
import { byCaller } from '../audit/record.js';
import { AppError } from '../core/problems.js';
import type { Reader, Tx } from '../db/database.js';
import type { VersionedPost } from '../db/epoch.js';
import type { DispatchRow } from '../db/tables.js';
import { getPostRow, lockPost } from '../posts/posts.js';
import type { App, TxApp } from '../request/app.js';
import type { CallerWithAddress } from '../request/caller.js';
import { asReplay, type IdempotencyRecord, inProgressError } from '../request/idempotency-record.js';
import { findGate, noteProbe } from './attempt/block.js';
import { lockAccount, openDispatch, reconnectReason } from './attempt/claim.js';
import { findNextAllowedTime } from './attempt/pacing.js';
import { sendAttemptNow } from './attempt/send.js';
import {
  assertPublishable,
  blockedProblem,
  checkedContents,
  type Prepared,
  preparePublish,
} from './prepare-publish.js';
import { findResult, type PublishResult } from './publish-result.js';
import type { PublishPost } from './schema.js';

/** Fails if the post is no longer what the caller has seen. */
type Unchanged = (read: Reader | Tx, post: VersionedPost) => Promise<void>;

/**
 * `record` belongs to the request's Idempotency-Key; null without a key. `unchanged` is asked before anything else is, and again
 * about the locked post, but not if the key has a response already.
 */
export async function publishNow(
  app: App,
  caller: CallerWithAddress,
  postId: string,
  input: PublishPost,
  record: IdempotencyRecord | null,
  unchanged: Unchanged | null = null,
): Promise<{ publishId: string; isReplay: boolean }> {
  const earlier = (await record?.findAttempt()) ?? null;
  if (earlier !== null) {
    const result = await findResult(app, caller.orgId, earlier);
    if (result.kind === 'open') throw inProgressError();
    if (result.kind === 'accepted') return { publishId: result.publishId, isReplay: true };
    // If the platform took nothing, there is no result to repeat: the same request may begin again.
    if (result.problem.status !== 503) throw asReplay(result.problem);
  }

  let prepared: Prepared;
  let dispatch: DispatchRow;
  try {
    const post = await getPostRow(app, caller, postId);
    await unchanged?.(app.db.read, post);
    prepared = await preparePublish(app, caller, post, input);
    dispatch = await app.db.transact(async (tx) => {
      await record?.begin(tx, earlier);
      const claimed = await claimNow(app, tx, caller, prepared, unchanged);
      await record?.linkAttempt(tx, claimed.id);
      return claimed;
    });
  } catch (error) {
    if (earlier === null) await record?.storeRefusal(error);
    throw error;
  }

  // From the claim on, a failure here does not mean that nothing was sent: the attempt continues without the request.
  let result: PublishResult;
  try {
    await sendAttemptNow(app, dispatch, prepared.creator); // mutant: own-attempt
    result = await findResult(app, caller.orgId, dispatch.id);
  } catch (error) {
    throw error instanceof AppError && error.code !== 'unavailable' ? error : stillRunningError(error);
  }
  if (result.kind === 'open') throw record ? inProgressError() : stillRunningError();
  if (result.kind === 'problem') throw result.problem;
  return { publishId: result.publishId, isReplay: false };
}

/** The claim: rechecks everything that may have changed since the preparation. */
async function claimNow(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { postId, platform, options, creator }: Prepared,
  unchanged: Unchanged | null,
): Promise<DispatchRow> {
  const refusal = await app.safety.refusal(tx); // mutant: publish-now-in-safe-mode
  if (refusal) throw refusal;
  const now = app.clock.now();
  const post = await lockPost(tx, caller, postId);
  await unchanged?.(tx, post);
  assertPublishable(post);
  const assets = await findAssets(tx, caller.orgId, post.id);
  const contents = checkedContents(app, platform, post, options, assets, creator);
  const account = await lockAccount(tx, { org_id: caller.orgId, id: options.social_account_id });
  // If the preparation discovered that the grant is gone, the attempt is opened and ends in that, so the log shows it.
  const hasJustEnded = account?.status === 'reconnect_required' && creator?.kind === 'reauthorize';
  if (!account || (account.status !== 'connected' && !hasJustEnded))
    throw new AppError('reconnect_required', reconnectReason(account));
  const gate = await findGate(tx, account, now);
  if (gate.kind === 'shut') throw blockedProblem(gate.block, now);
  const until = await findNextAllowedTime(app, tx, account, now);
  if (until > now)
    throw new AppError(
      'account_paced',
      'The account has reached its publishing limit for now. Try again later, or schedule the post.',
      { headers: retryAfter(until - now) },
    );
  const opening = {
    social_account_id: account.id,
    platform: account.platform,
    trigger_kind: caller.via === 'session' ? 'dashboard' : 'api',
    scheduled_for: null,
  } as const;
  const changes = { publish_retries: 0 };
  const dispatch = await openDispatch(app, tx, byCaller(caller), post, contents, opening, changes);
  if (gate.kind === 'probe') await noteProbe(tx, dispatch);
  return dispatch;
}

const stillRunningError = (cause?: unknown) =>
  new AppError(
    'platform_timeout',
    'The attempt continues without this request. Check the publish status of the post instead of repeating the request.',
    { cause },
  );

// Publish now: the steps of a scheduled publish, inside the request.
//
// The response is built from the attempt's row, so a repeated request with the same Idempotency-Key gets the same response,
// even if the process that served the first one has died. The key's record commits with the claim and points at the attempt.
import { lockAccount, reconnectReason, requireAccountInUse } from '../accounts/accounts.js';
import { type Block, runningBlock } from '../accounts/blocks.js';
import { platformError, retryAfter, unavailableCode } from '../accounts/platform-errors.js';
import { assertCanOpen } from '../accounts/stored-tokens.js';
import type { App, TxApp } from '../app/app.js';
import { confirmArrivals, findAssets } from '../assets/assets.js';
import { byCaller } from '../audit/record.js';
import { withDeadline } from '../core/deadline.js';
import { AppError, type CodeWith, notFound, PROBLEMS, type ProblemCode } from '../core/problems.js';
import type { Reader, Tx } from '../db/database.js';
import type { VersionedPost } from '../db/epoch.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow, AttemptRow, PostRow } from '../db/tables.js';
import { getPostRow, lockPost } from '../posts/posts.js';
import type { PublishOptions } from '../posts/readiness/findings.js';
import { allows } from '../posts/state.js';
import { toggleColumns } from '../posts/toggles.js';
import type { Caller, CallerWithAddress } from '../request/caller.js';
import { asReplay, type IdempotencyRecord, inProgressError } from '../request/idempotency-record.js';
import { findGate, recordProbe } from './attempt/blocks/gate.js';
import { openAttempt } from './attempt/claim.js';
import { findNextAllowedTime } from './attempt/pacing.js';
import { askCreator, creatorInfoOf, type KnownCreator, NOT_ASKED, sendAttemptNow } from './attempt/send.js';
import { awaitedFiles, type Contents, findingsOfSnapshot, snapshotOf } from './attempt/snapshot.js';
import type { PublishPost } from './schema.js';

/** How long the request waits for uploads to be inspected. The platform needs time as well, before the connection ends. */
const INSPECTION_TIMEOUT_MS = 60_000;

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
    if (result === 'open') throw inProgressError();
    if (!(result instanceof AppError)) return { ...result, isReplay: true };
    // If the platform took nothing, there is no result to repeat: the same request may begin again.
    if (result.status !== 503) throw asReplay(result);
  }

  let prepared: Prepared;
  let attempt: AttemptRow;
  try {
    const post = await getPostRow(app, caller, postId);
    await unchanged?.(app.db.read, post);
    prepared = await preparePublish(app, caller, post, input);
    attempt = await app.db.transact(async (tx) => {
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
    await sendAttemptNow(app, attempt, prepared.creator); // mutant: own-attempt
    result = await findResult(app, caller.orgId, attempt.id);
  } catch (error) {
    throw error instanceof AppError && error.code !== 'unavailable' ? error : stillRunningError(error);
  }
  if (result === 'open') throw record ? inProgressError() : stillRunningError();
  if (result instanceof AppError) throw result;
  return { ...result, isReplay: false };
}

/** What is known before the claim. */
interface Prepared {
  postId: string;
  platform: string;
  options: PublishOptions & { social_account_id: string };
  creator: KnownCreator;
}

/**
 * Everything that can take long: the uploads are inspected, and the platform is asked what the creator may do at the moment. What
 * is known to be refused is refused before that. The claim then makes the same checks, on what it has locked.
 */
async function preparePublish(
  app: App,
  caller: Caller,
  post: PostRow,
  input: PublishPost,
): Promise<Prepared> {
  app.safety.assertNormalMode();
  assertPublishable(post);
  const options: Prepared['options'] = {
    social_account_id: input.social_account_id.toLowerCase(),
    publish_mode: input.mode ?? 'direct',
    privacy_level: input.privacy_level,
    ...toggleColumns(input),
  };
  const account = { org_id: caller.orgId, id: options.social_account_id };
  const found = await requireAccountInUse(app.db.read, caller.orgId, account.id);
  // Known to need a new consent: refused without a call to the platform and without an attempt.
  if (found.status === 'reconnect_required')
    throw new AppError('reconnect_required', reconnectReason(found).reason);
  assertCanOpen(app, found);
  // Likewise while the platform is known to refuse everything.
  const block = runningBlock(found, app.clock.now());
  if (block) throw blockedProblem(block, app.clock.now());
  await withDeadline(
    (deadline) => confirmArrivals(app, caller.orgId, post.id, 'free', deadline),
    INSPECTION_TIMEOUT_MS,
  );
  const assets = await findAssets(app.db.read, caller.orgId, post.id);
  requirePublishableContents(app, found.platform, post, options, assets, NOT_ASKED);
  const creator = await askCreator(app, account, options.publish_mode);
  // A fault on our side: refused without an attempt.
  if (creator.kind === 'later' && creator.isUnsent) throw platformError(creator);
  return { postId: post.id, platform: found.platform, options, creator };
}

/** What the post would send. Throws all that is wrong with it; the first error gives the problem's code. */
function requirePublishableContents(
  app: TxApp,
  platform: string,
  post: PostRow,
  options: PublishOptions,
  assets: readonly AssetRow[],
  creator: KnownCreator,
): Contents {
  const contents = snapshotOf(post, options, assets);
  const awaited = awaitedFiles(assets);
  if (awaited) throw new AppError('uploads_pending', awaited.detail); // mutant: publish-now-awaits-files
  const found = findingsOfSnapshot(app, platform, contents, creatorInfoOf(creator));
  const errors = found.filter(({ level }) => level === 'error');
  const empty = errors.find(({ code }) => code === 'no_media');
  if (empty) throw new AppError('no_media', empty.detail);
  if (errors[0])
    throw new AppError(refusalCode(errors[0].code), errors.map(({ detail }) => detail).join(' '), {
      fields: errors.flatMap(({ pointer, detail }) =>
        pointer === null ? [] : [{ pointer, message: detail }],
      ),
    });
  return contents;
}

const blockedProblem = ({ reason, until }: Block, now: number): AppError =>
  new AppError('account_blocked', `${reason}. Publish the post later, or schedule it: then it waits.`, {
    headers: retryAfter(until - now),
  });

export function assertPublishable({ status }: Pick<PostRow, 'status'>): void {
  if (!allows('publish', status))
    throw new AppError(
      'wrong_state',
      status === 'publishing'
        ? 'The post is being published, or its outcome is unknown: see last_publish_error. If the outcome is unknown, check the account and resolve the post.'
        : `A post that is ${status} cannot be published. Only drafts and scheduled posts can.`,
    );
}

/** The claim: rechecks everything that may have changed since the preparation. */
async function claimNow(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  { postId, platform, options, creator }: Prepared,
  unchanged: Unchanged | null,
): Promise<AttemptRow> {
  const refusal = await app.safety.refusal(tx); // mutant: publish-now-in-safe-mode
  if (refusal) throw refusal;
  const now = app.clock.now();
  const post = await lockPost(tx, caller, postId);
  await unchanged?.(tx, post);
  assertPublishable(post);
  const assets = await findAssets(tx, caller.orgId, post.id);
  const contents = requirePublishableContents(app, platform, post, options, assets, creator);
  const [account] = await lockAccount(tx, caller.orgId, options.social_account_id);
  // If the preparation discovered that the grant is gone, the attempt is opened and ends in that, so the log shows it.
  const hasJustEnded = account?.status === 'reconnect_required' && creator.kind === 'reauthorize';
  if (!account || (account.status !== 'connected' && !hasJustEnded))
    throw new AppError('reconnect_required', reconnectReason(account).reason);
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
  const attempt = await openAttempt(app, tx, byCaller(caller), post, contents, opening, changes);
  if (gate.kind === 'probe') await recordProbe(tx, attempt);
  return attempt;
}

const stillRunningError = (cause?: unknown) =>
  new AppError(
    'platform_timeout',
    'The attempt continues without this request. Check the publish status of the post instead of repeating the request.',
    { cause },
  );

/** Open: the platform has not answered yet, or its answer is not saved. */
type PublishResult = 'open' | { publishId: string } | AppError;

/** The result of an attempt, or of the one that has replaced it. */
async function findResult(app: App, orgId: string, attemptId: string): Promise<PublishResult> {
  const attempt = await app.db.read
    .selectFrom('dispatches')
    .selectAll()
    .where(isRow({ org_id: orgId, id: attemptId }))
    .executeTakeFirst();
  if (attempt?.continued_by) return findResult(app, orgId, attempt.continued_by);
  // The attempt was deleted with its post.
  if (!attempt) return notFound('post');
  if (attempt.outcome === 'started') return 'open';
  if (attempt.publish_id !== null) return { publishId: attempt.publish_id };
  if (attempt.outcome === 'published')
    return new AppError('wrong_state', 'The post was resolved as published, so it is not sent again.');
  const detail = attempt.error_message ?? 'The outcome of the attempt is not known yet.';
  const code = attempt.error_code ?? '';
  switch (attempt.failure) {
    case 'refused':
      return new AppError(refusalCode(code), detail);
    case 'reauthorize':
      return new AppError('reconnect_required', detail);
    case 'retryable': {
      const isBlock = app.connector(attempt.platform).blockCodes.has(code);
      const headers = retryAfter(attempt.retry_after_ms ?? 0);
      return new AppError(isBlock ? 'account_blocked' : unavailableCode(code), detail, { headers });
    }
    default:
      return new AppError('platform_timeout', detail);
  }
}

/** A code of ours becomes the problem's code; the platform's own code stands in the detail. */
const refusalCode = (code: string): CodeWith<422> =>
  Object.hasOwn(PROBLEMS, code) && PROBLEMS[code as ProblemCode][0] === 422
    ? (code as CodeWith<422>)
    : 'platform_refused';

// Publish now: the same steps as for the schedule, inside the request. What is answered is made of the attempt's row, so
// that a repetition of the request can be told the same.
import { accountMustBeConnected } from '../accounts/accounts.js';
import type { AccountRef } from '../accounts/tokens.js';
import type { App, TxApp } from '../api/app.js';
import type { Caller } from '../api/caller.js';
import { assetsOf, confirmArrivals } from '../assets/assets.js';
import type { CreatorOptions, Finding, Result } from '../connectors/connector.js';
import type { Tx } from '../db/database.js';
import type { DispatchRow, PostRow } from '../db/tables.js';
import { AppError, PROBLEMS, type ProblemCode, wrongState } from '../ground/problems.js';
import { getPostRow, lockPost } from '../posts/posts.js';
import { allows } from '../posts/state.js';
import { lockAccount, openDispatch, reconnectReason } from './attempt/claim.js';
import { paceOf } from './attempt/pacing.js';
import { askCreator } from './attempt/send.js';
import { findingsOf, hasMedia, NO_MEDIA, type PublishOptions, snapshotOf } from './attempt/snapshot.js';
import type { PublishPost } from './schema.js';

/** What was found out before anything was claimed. */
export interface Prepared {
  postId: string;
  options: PublishOptions & { social_account_id: string };
  creator: Result<CreatorOptions> | null;
}

/** Everything that can be refused without an attempt. Asks the platform what the creator may do just now. */
export async function preparePublish(
  app: App,
  caller: Caller,
  id: string,
  input: PublishPost,
): Promise<Prepared> {
  app.safety.demandNormal();
  const post = await getPostRow(app, caller, id);
  mustBePublishable(post);
  const options = optionsFrom(input);
  await accountMustBeConnected(app.db.read, caller.orgId, options.social_account_id);
  await grantMustNotBeGone(app, { org_id: caller.orgId, id: options.social_account_id });
  await confirmArrivals(app, caller.orgId, post.id);
  const snapshot = snapshotOf(post, options, await assetsOf(app.db.read, caller.orgId, post.id));
  if (!hasMedia(snapshot)) throw new AppError('no_media', NO_MEDIA.detail);
  // What needs nobody's answer is said first.
  refuse(findingsOf(app, snapshot, null));
  const account = { org_id: caller.orgId, id: options.social_account_id };
  const creator = await askCreator(app, account, options.publish_mode);
  if (creator?.kind === 'ok') refuse(findingsOf(app, snapshot, creator.value));
  return { postId: post.id, options, creator };
}

/** The claim itself: looks again at everything that may have changed. */
export async function claimNow(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  { postId, options, creator }: Prepared,
): Promise<DispatchRow> {
  const refusal = await app.safety.refusal(tx);
  if (refusal) throw refusal;
  const now = app.clock.now();
  const post = await lockPost(tx, caller, postId);
  mustBePublishable(post);
  const account = await lockAccount(tx, { org_id: caller.orgId, id: options.social_account_id });
  // A grant that has only now turned out to be gone is what the attempt ends in, and is logged as that.
  const hasJustEnded = account?.status === 'reconnect_required' && creator?.kind === 'reauthorize';
  if (!account || (account.status !== 'connected' && !hasJustEnded))
    throw new AppError('reconnect_required', reconnectReason(account));
  const until = await paceOf(app, tx, account, now);
  if (until > now)
    throw new AppError(
      'account_paced',
      'The account has been given as many posts as it takes for now. Try again later, or schedule the post.',
      { headers: retryAfter(until - now) },
    );
  const snapshot = snapshotOf(post, options, await assetsOf(tx, caller.orgId, post.id));
  if (!hasMedia(snapshot)) throw new AppError('no_media', NO_MEDIA.detail);
  await tx
    .updateTable('posts')
    .set({ publish_retries: 0 })
    .where('org_id', '=', post.org_id)
    .where('id', '=', post.id)
    .execute();
  return openDispatch(app, tx, post, snapshot, {
    social_account_id: account.id,
    trigger_kind: caller.via === 'session' ? 'dashboard' : 'api',
    scheduled_for: null,
  });
}

/** Nobody is asked, and nothing is logged, for an account that is known to wait for a new consent. */
async function grantMustNotBeGone(app: App, { org_id, id }: AccountRef): Promise<void> {
  const account = await app.db.read
    .selectFrom('social_accounts')
    .select(['status', 'status_reason'])
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (account?.status === 'reconnect_required')
    throw new AppError('reconnect_required', reconnectReason(account));
}

/** What a request to publish is answered once its attempt has come to something: the id, or a problem. */
export function answerOf(dispatch: DispatchRow): { publish_id: string } {
  if (dispatch.publish_id !== null) return { publish_id: dispatch.publish_id };
  if (dispatch.outcome === 'published')
    throw wrongState('Somebody has said that the post is on the platform already, so it is not sent again.');
  const detail = dispatch.error_message ?? 'The outcome of the attempt is not known yet.';
  switch (dispatch.setback) {
    case 'refused':
      throw new AppError(codeOf(dispatch.error_code ?? ''), detail);
    case 'reauthorize':
      throw new AppError('reconnect_required', detail);
    case 'later':
      throw new AppError(dispatch.error_code === 'safe_mode' ? 'safe_mode' : 'platform_unavailable', detail, {
        headers: retryAfter(dispatch.retry_after_ms ?? 0),
      });
    default:
      throw new AppError('platform_timeout', detail);
  }
}

const retryAfter = (ms: number) => ({ 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) });

function mustBePublishable({ status }: Pick<PostRow, 'status'>): void {
  if (!allows('publish', status))
    throw wrongState(
      status === 'publishing'
        ? 'The post is being published, or nobody knows yet what became of it: see last_publish_error. If it says that the outcome is unknown, look at the account and resolve the post.'
        : `A post that is ${status} cannot be published. Only drafts and scheduled posts can.`,
    );
}

/** All errors at once; the first one names the problem. */
function refuse(findings: Finding[]): void {
  const errors = findings.filter(({ level }) => level === 'error');
  const [first] = errors;
  if (!first) return;
  throw new AppError(codeOf(first.code), errors.map(({ detail }) => detail).join(' '), {
    fields: errors.flatMap(({ field, detail }) =>
      field === undefined ? [] : [{ pointer: `/${field}`, message: detail }],
    ),
  });
}

/** A code that is ours is the problem's own; the platform's own is told in the sentence. */
const codeOf = (code: string): ProblemCode =>
  Object.hasOwn(PROBLEMS, code) && PROBLEMS[code as ProblemCode][0] === 422
    ? (code as ProblemCode)
    : 'platform_refused';

function optionsFrom(input: PublishPost): Prepared['options'] {
  const flag = (on: boolean | undefined) => (on ? 1 : 0);
  return {
    social_account_id: input.social_account_id.toLowerCase(),
    publish_mode: input.mode ?? 'direct',
    privacy_level: input.privacy_level,
    disable_comment: flag(input.disable_comment),
    disable_duet: flag(input.disable_duet),
    disable_stitch: flag(input.disable_stitch),
    brand_content_toggle: flag(input.brand_content_toggle),
    brand_organic_toggle: flag(input.brand_organic_toggle),
  };
}

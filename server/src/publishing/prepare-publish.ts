// The checks that can refuse a publish request before an attempt exists.
import { requireConnectedAccount } from '../accounts/accounts.js';
import { type Block, runningBlock } from '../accounts/blocks.js';
import { problemOf, retryAfter } from '../accounts/setbacks.js';
import { mustHaveKeyOf } from '../accounts/stored-tokens.js';
import { confirmArrivals, findAssets } from '../assets/assets.js';
import { withDeadline } from '../assets/deadline.js';
import type { CreatorOptions, Result } from '../connectors/connector.js';
import { AppError, wrongState } from '../core/problems.js';
import type { AssetRow, PostRow } from '../db/tables.js';
import { noMedia, type PublishOptions } from '../posts/readiness/findings.js';
import { allows } from '../posts/state.js';
import { toggleColumns } from '../posts/toggles.js';
import type { App, TxApp } from '../request/app.js';
import type { Caller } from '../request/caller.js';
import { reconnectReason } from './attempt/claim.js';
import { askCreator } from './attempt/send.js';
import { awaitedFiles, type Contents, findingsOfSnapshot, snapshotOf } from './attempt/snapshot.js';
import { refusalCode } from './publish-result.js';
import type { PublishPost } from './schema.js';

/** How long the request waits for uploads to be inspected. The platform needs time as well, before the connection ends. */
const INSPECTION_TIMEOUT_MS = 60_000;

/** What is known before the claim. */
export interface Prepared {
  postId: string;
  platform: string;
  options: PublishOptions & { social_account_id: string };
  creator: Result<CreatorOptions> | null;
}

/**
 * Everything that can take long: the uploads are inspected, and the platform is asked what the creator may do at the moment. What
 * is known to be refused is refused before that. The claim then makes the same checks, on what it has locked.
 */
export async function preparePublish(
  app: App,
  caller: Caller,
  post: PostRow,
  input: PublishPost,
): Promise<Prepared> {
  app.safety.demandNormal();
  assertPublishable(post);
  const options: Prepared['options'] = {
    social_account_id: input.social_account_id.toLowerCase(),
    publish_mode: input.mode ?? 'direct',
    privacy_level: input.privacy_level,
    ...toggleColumns(input),
  };
  const account = { org_id: caller.orgId, id: options.social_account_id };
  const found = await requireConnectedAccount(app.db.read, caller.orgId, account.id);
  // Known to need a new consent: refused without a call to the platform and without an attempt.
  if (found.status === 'reconnect_required') throw new AppError('reconnect_required', reconnectReason(found));
  mustHaveKeyOf(app, found);
  // Likewise while the platform is known to refuse everything.
  const block = runningBlock(found, app.clock.now());
  if (block) throw blockedProblem(block, app.clock.now());
  await withDeadline(
    (deadline) => confirmArrivals(app, caller.orgId, post.id, 'worker', deadline),
    INSPECTION_TIMEOUT_MS,
  );
  const assets = await findAssets(app.db.read, caller.orgId, post.id);
  checkedContents(app, found.platform, post, options, assets, null);
  const creator = await askCreator(app, account, options.publish_mode);
  // A fault on our side: refused without an attempt.
  if (creator?.kind === 'later' && creator.isUnsent) throw problemOf(creator);
  return { postId: post.id, platform: found.platform, options, creator };
}

/** What the post would send. Throws all that is wrong with it; the first error gives the problem's code. */
export function checkedContents(
  app: TxApp,
  platform: string,
  post: PostRow,
  options: PublishOptions,
  assets: readonly AssetRow[],
  creator: Result<CreatorOptions> | null,
): Contents {
  const contents = snapshotOf(post, options, assets);
  const { draft, video, slides, rejected } = contents;
  const awaited = awaitedFiles(assets);
  if (awaited) throw new AppError('uploads_pending', awaited.detail); // mutant: publish-now-awaits-files
  const isEmpty = draft.type === 'video' ? video === null : slides.length === 0;
  // A rejected file is among the findings.
  if (isEmpty && !rejected) throw new AppError('no_media', noMedia(draft.type).detail);
  const found = findingsOfSnapshot(app, platform, contents, creator?.kind === 'ok' ? creator.value : null);
  const errors = found.filter(({ level }) => level === 'error');
  if (errors[0])
    throw new AppError(refusalCode(errors[0].code), errors.map(({ detail }) => detail).join(' '), {
      fields: errors.flatMap(({ field, detail }) =>
        field === undefined ? [] : [{ pointer: `/${field}`, message: detail }],
      ),
    });
  return contents;
}

export const blockedProblem = ({ reason, until }: Block, now: number): AppError =>
  new AppError(
    'account_blocked',
    `${reason}. Publish the post after the time in Retry-After, or schedule it: then it waits.`,
    { headers: retryAfter(until - now) },
  );

export function assertPublishable({ status }: Pick<PostRow, 'status'>): void {
  if (!allows('publish', status))
    throw wrongState(
      status === 'publishing'
        ? 'The post is being published, or its outcome is unknown: see last_publish_error. If the outcome is unknown, check the account and resolve the post.'
        : `A post that is ${status} cannot be published. Only drafts and scheduled posts can.`,
    );
}

// The two steps of publishing, scheduling and resolving. The first returns what would happen and a confirmation, which is signed
// for exactly the state that was shown: version of the post, account, files, options, time, and other posts that may be the same. The
// second is refused if any of it differs.
import { hash } from 'node:crypto';
import { type TSchema, Type } from 'typebox';
import { requireKnownAccount } from '../../accounts/accounts.js';
import { findAssets, isReady, listAssets } from '../../assets/assets.js';
import { toTimestamp } from '../../core/clock.js';
import { HOUR_MS } from '../../core/durations.js';
import { AppError } from '../../core/problems.js';
import type { Reader, Tx } from '../../db/database.js';
import type { VersionedPost } from '../../db/epoch.js';
import type { AssetRow, AttemptRow } from '../../db/tables.js';
import { getPostRow } from '../../posts/posts.js';
import { etagOf } from '../../posts/present.js';
import { TOGGLES } from '../../posts/toggles.js';
import { latestDispatch } from '../../publishing/history/dispatches.js';
import { preflight } from '../../publishing/preflight.js';
import { assertPublishable } from '../../publishing/publish-now.js';
import { type Preflight, PreflightRef } from '../../publishing/schema.js';
import { IdempotencyRecord } from '../../request/idempotency-record.js';
import { nullable, uuid } from '../../request/schema.js';
import { helpWith, OUTCOME_UNKNOWN, SETTLE_IT } from './next-steps.js';
import { type PossibleDuplicate, possibleDuplicates, warningOf } from './possible-duplicates.js';
import type { ToolCall, ToolOutput } from './tool.js';

/** How long a person may take to agree. */
const VALID_MS = HOUR_MS;

/** What the second call would do. */
export interface PlannedCall {
  act: 'publish' | 'schedule' | 'resolve';
  /** When the post is to go out, for `schedule`; null for the other acts. */
  at: number | null;
  /** The same time for people. */
  times?: Record<string, string>;
  /** What an agent should ask about the time. */
  doubt?: string;
  /** For `resolve`: which attempt, and what the person says became of it. */
  claim?: string;
}

export const confirmField = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'From the first call, and only after a person has agreed to what it showed. Leave it out in the first call.',
  }),
);

const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);

/** The result of a first call; `Done` is that of the second. */
export const previewOr = (done: TSchema) => Type.Union([Preview, done]);

export const AccountShown = orNull(
  Type.Object({ id: uuid(), platform: Type.String(), username: Type.String() }),
);

const Preview = Type.Object({
  confirm: nullable(Type.String()),
  /** Why there is no confirmation. */
  obstacle: orNull(Type.Object({ code: Type.String(), detail: Type.String() })),
  duplicate_risk: nullable(Type.String()),
  goes_out: Type.Object({
    at: Type.String(),
    times: orNull(Type.Record(Type.String(), Type.String())),
    /** The slot that a scheduled post has now, and loses. */
    replaces_slot: nullable(Type.String()),
    account: AccountShown,
    title: Type.String(),
    caption: nullable(Type.String()),
    hashtags: nullable(Type.String()),
    files: Type.Array(
      Type.Object({ position: Type.Integer(), filename: Type.String(), content_type: Type.String() }),
    ),
    files_to_come: Type.Array(Type.String()),
    mode: Type.String(),
    privacy_level: nullable(Type.String()),
    toggles_on: Type.Array(Type.String()),
  }),
  preflight: PreflightRef,
});

interface PostState {
  /** Everything that the confirmation is bound to. */
  facts: string[];
  duplicates: PossibleDuplicate[];
}

async function readPostState(
  read: Reader | Tx,
  post: VersionedPost,
  { act, at, claim = '' }: PlannedCall,
): Promise<PostState> {
  const files = await findAssets(read, post.org_id, post.id);
  // Nothing goes out by resolving.
  const duplicates = act === 'resolve' ? [] : await possibleDuplicates(read, post, files);
  const facts = [
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
    claim,
    JSON.stringify(duplicates),
  ];
  return { facts, duplicates };
}

/**
 * Files that are still to come belong to the post, because they may arrive after a person has agreed, and go out at the slot; those
 * that were to be fetched, whatever has become of them.
 */
const partOfPost = (file: AssetRow): string[] => {
  if (isReady(file)) return [file.object_key];
  return file.is_fetched === 1 || file.state === 'pending' ? [file.object_key, file.state] : [];
};

/** The signature of a state that a person is shown. */
export async function confirmFor({ app }: ToolCall, post: VersionedPost, plan: PlannedCall): Promise<string> {
  const { facts } = await readPostState(app.db.read, post, plan);
  return app.seal.sign(toTimestamp(app.clock.now()), facts);
}

/** The first step. `confirm` is null if something is in the way. */
export async function askToConfirm(call: ToolCall, id: string, plan: PlannedCall): Promise<ToolOutput> {
  const { app, caller } = call;
  // First, because it finds files that have just arrived: they change the post.
  const { data: files, pending } = await listAssets(app, caller, id);
  const post = await getPostRow(app, caller, id);
  const { facts, duplicates } = await readPostState(app.db.read, post, plan);
  const found = await preflight(app, caller, id);
  const last = await latestDispatch(app, caller.orgId, post.id, () => true);
  const doubtful = await latestDispatch(app, caller.orgId, post.id, isDoubtful);
  const after = await readPostState(app.db.read, await getPostRow(app, caller, id), plan);
  if (facts.join('\n') !== after.facts.join('\n'))
    throw new AppError(
      'precondition_failed',
      'The post is being changed at this moment. Call the tool again.',
    );
  const obstacle = plan.act === 'publish' ? obstacleOf(post, last, found) : null;
  // Publishing now waits for what is fetched, and leaves out what is uploaded later. A slot takes whatever has arrived by then.
  const toCome = pending.filter(({ origin }) => plan.act === 'schedule' || origin === 'address');
  const warnings = [
    ...(plan.doubt === undefined ? [] : [plan.doubt]),
    ...(duplicates.length > 0 ? [LOOK_FOR_IT] : []),
    ...(toCome.length > 0 ? [UNSEEN_FILES] : []),
    ...(found.ready ? [] : [NOT_READY, ...helpWith(found.problems.filter(isError).map(({ code }) => code))]),
  ];
  return {
    data: {
      confirm: obstacle === null ? app.seal.sign(toTimestamp(app.clock.now()), facts) : null,
      obstacle: obstacle && { code: obstacle.code, detail: obstacle.detail },
      duplicate_risk:
        [riskOf(doubtful), warningOf(duplicates)].filter((risk) => risk !== null).join(' ') || null,
      goes_out: {
        at: plan.at === null ? 'now' : toTimestamp(plan.at),
        times: plan.times ?? null,
        replaces_slot:
          post.status === 'scheduled' && post.scheduled_at !== null ? toTimestamp(post.scheduled_at) : null,
        account: await shownAccount(call, post.social_account_id),
        title: post.title,
        caption: post.caption,
        hashtags: post.hashtags,
        files: files.map(({ filename, content_type, position }) => ({ position, filename, content_type })),
        files_to_come: toCome.map(({ filename }) => filename),
        mode: post.publish_mode,
        privacy_level: post.privacy_level,
        toggles_on: TOGGLES.filter((name) => post[name] === 1),
      },
      preflight: found,
    },
    next: obstacle?.next ?? [...warnings, SHOW_IT].join(' '),
  };
}

export async function shownAccount({ app, caller }: ToolCall, id: string | null) {
  // It may be disconnected since.
  return id === null ? null : requireKnownAccount(app.db.read, caller.orgId, id);
}

/** Why the post cannot be published now, and what to do about it. */
function obstacleOf(post: VersionedPost, last: AttemptRow | null, { ready, problems }: Preflight) {
  if (last?.outcome === 'unknown')
    return {
      code: OUTCOME_UNKNOWN,
      detail: `The outcome of the attempt of ${toTimestamp(last.started_at)} is unknown: the post may be on the platform. Publishing it again may publish it twice.`,
      next: SETTLE_IT,
    };
  try {
    assertPublishable(post);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, detail: error.message, next: LEAVE_IT };
  }
  const errors = problems.filter(isError);
  const [first] = errors;
  if (ready || !first) return null;
  const next = ['Nothing was sent.', ...helpWith(errors.map(({ code }) => code)), REPAIR_IT].join(' ');
  return { code: first.code, detail: first.detail, next };
}

const isError = ({ level }: { level: string }) => level === 'error';

/** Whether the post may be on the platform, whatever was tried since. */
const isDoubtful = ({ outcome, error_code }: AttemptRow) =>
  outcome === 'unknown' || error_code === 'resolved_not_posted';

function riskOf(last: AttemptRow | null): string | null {
  if (last === null) return null;
  const attempt = `The attempt of ${toTimestamp(last.started_at)} had an unknown outcome`;
  return last.outcome === 'unknown'
    ? `${attempt}. If the post is on the platform, publishing it again publishes it twice.`
    : `${attempt}, and was reported as not on the platform. If the post is there after all, publishing it again publishes it twice: let the person look at the account once more.`;
}

const SHOW_IT =
  'Nothing has happened yet. Show goes_out, duplicate_risk and the problems of the preflight to the person. Only if they agree, call this tool again with the same arguments and confirm.';
const LOOK_FOR_IT =
  'The post may be on the platform already, as another one. First ask the person to look on the account for what duplicate_risk names, and report with post_resolve what they saw. If it is there, do not send this post.';
const UNSEEN_FILES =
  'files_to_come have not arrived, so no person has seen them: what arrives under these names before the slot goes out with the post, or replaces its video. Rather wait until post_get shows them in files, and call this tool again.';
const REPAIR_IT =
  'Repair what post_update and the tools for files can repair, then call this tool again without confirm.';
const NOT_READY =
  'As it is, the post would not go out at its slot: better repair the errors of the preflight first.';
const LEAVE_IT = 'Nothing was sent. Call post_status to see what has become of the post.';

/** The second step: fails unless the post is still what the confirmation was made for. */
export async function assertConfirmed(
  { app }: ToolCall,
  read: Reader | Tx,
  post: VersionedPost,
  plan: PlannedCall,
  confirm: string,
): Promise<void> {
  const { facts } = await readPostState(read, post, plan);
  const since = app.seal.verify(confirm, facts);
  if (since === null)
    throw new AppError(
      'precondition_failed',
      'This confirm is not for this call and the post as it is now: the arguments, the post, its files, its account or its duplicate_risk differ from what was shown, so nothing was done. Call the tool again without confirm, and show what it returns to the person.',
    );
  if (app.clock.now() - Date.parse(since) > VALID_MS)
    throw new AppError(
      'precondition_failed',
      'This confirmation is more than an hour old, so nothing was done. Call the tool again without confirm.',
    );
}

/** A repeated second step gets the first response, like a repeated request with the same Idempotency-Key. */
export function confirmationRecordOf(
  { app, caller }: ToolCall,
  post: string,
  plan: PlannedCall,
  confirm: string,
) {
  const { act, at, claim } = plan;
  const digest = hash('sha256', JSON.stringify([act, post, at, claim, confirm]), 'hex');
  return new IdempotencyRecord(app, caller.orgId, `mcp-${digest}`, digest);
}

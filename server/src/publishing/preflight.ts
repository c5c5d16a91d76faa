// Reports in advance what would be refused, and exactly what would be sent.
import { blockColumns, runningBlock } from '../accounts/blocks.js';
import type { App } from '../app/app.js';
import { confirmArrivals, findAssets } from '../assets/assets.js';
import { isRealPlatform, isWebDomain } from '../config/platform.js';
import type { CreatorInfo, Finding } from '../connectors/connector.js';
import { withDeadline } from '../core/deadline.js';
import { toLogFields } from '../core/log.js';
import { isRow } from '../db/is-row.js';
import type { AssetRow, PostRow } from '../db/tables.js';
import { getPostRow } from '../posts/posts.js';
import { finding, warning } from '../posts/readiness/findings.js';
import { accountFindings, slotFindings } from '../posts/readiness/readiness.js';
import { allows } from '../posts/state.js';
import type { Caller } from '../request/caller.js';
import { DEFAULT_PLATFORM } from '../request/platforms.js';
import { askCreator } from './attempt/send.js';
import { awaitedFiles, describeRequest, findingsOfSnapshot, snapshotOf } from './attempt/snapshot.js';
import type { Preflight } from './schema.js';

export async function preflight(app: App, caller: Caller, id: string): Promise<Preflight> {
  const post = await getPostRow(app, caller, id);
  if (allows('edit', post.status))
    await withDeadline((deadline) => confirmArrivals(app, caller.orgId, post.id, 'charged', deadline)).catch(
      (err) =>
        app.log.warn(toLogFields(err), 'an upload could not be inspected; preflight reports it as pending'),
    );
  const assets = await findAssets(app.db.read, caller.orgId, post.id);
  const snapshot = snapshotOf(post, post, assets);
  const account = await findAccount(app, post);
  const { problems, creator, platform } = await accountProblems(app, post, account);
  problems.push(
    ...stateProblems(post),
    ...safetyProblems(app),
    ...mediaProblems(assets, findingsOfSnapshot(app, platform, snapshot, creator)),
    ...privacyProblems(post),
    ...addressProblems(app, post),
    ...slotFindings(post),
  );
  if (assets.some(({ state, is_fetched }) => state === 'pending' && is_fetched === 0))
    problems.push(
      warning(
        'uploads_pending',
        "A file hasn't been uploaded or inspected yet. Files still missing when the post is published are left out.",
      ),
    );
  return {
    ready: problems.every(({ level }) => level !== 'error'),
    problems,
    account: account && { id: account.id, username: account.username },
    request: describeRequest(app, platform, snapshot),
  };
}

/** A file that the post waits for explains why there is no media. */
function mediaProblems(assets: readonly AssetRow[], findings: Finding[]): Finding[] {
  const awaited = awaitedFiles(assets);
  return awaited ? [awaited, ...findings.filter(({ code }) => code !== 'no_media')] : findings;
}

function stateProblems({ status }: PostRow): Finding[] {
  if (allows('publish', status)) return [];
  return [finding('wrong_state', `A post that is ${status} cannot be published.`, 'status')];
}

/** The finding about safe mode, in which scheduled posts wait and publish now is refused. */
function safetyProblems(app: App): Finding[] {
  if (app.safety.mode.kind === 'normal') return [];
  const code = app.safety.mode.kind === 'safe' ? 'safe_mode' : 'store_unavailable';
  return [finding(code, `Nothing is published at the moment. ${app.safety.mode.reason}`)];
}

/** An inbox draft is sent without a privacy level, but publishing and scheduling require one all the same. */
function privacyProblems({ publish_mode, privacy_level }: PostRow): Finding[] {
  if (publish_mode !== 'inbox' || privacy_level !== null) return [];
  return [finding('privacy_level_missing', 'Choose who can see the post.', 'privacy_level')];
}

/** The real platform fetches slides only from verified domains, over https. */
function addressProblems(app: App, { post_type }: PostRow): Finding[] {
  if (post_type !== 'slides' || !isRealPlatform(app.config.socialApiUrl)) return [];
  if (isWebDomain(app.urls.publicUrl)) return [];
  return [
    finding(
      'public_url',
      'PUBLIC_URL must be an https address with a domain name. Ask your Airdate administrator.',
    ),
  ];
}

async function accountProblems(
  app: App,
  post: PostRow,
  account: Awaited<ReturnType<typeof findAccount>>,
): Promise<{ problems: Finding[]; creator: CreatorInfo | null; platform: string }> {
  const none = { creator: null, platform: DEFAULT_PLATFORM };
  const problems = accountFindings(post, account);
  if (!account || problems.length > 0) return { ...none, problems };
  const ref = { org_id: post.org_id, id: account.id };
  const { platform } = account;
  const answer = await askCreator(app, ref, post.publish_mode);
  switch (answer.kind) {
    case 'not_needed':
      return { ...none, platform, problems: [] };
    case 'ok':
      return { creator: answer.value, platform, problems: [] };
    case 'reauthorize':
      return {
        ...none,
        platform,
        problems: [finding('reconnect_required', answer.reason, 'social_account_id')],
      };
    case 'blocked': {
      const { reason, code, windowMs } = answer;
      const block = { until: app.clock.now() + windowMs, reason, code };
      return { ...none, platform, problems: accountFindings(post, { ...account, block }) };
    }
    case 'refused':
      return { ...none, platform, problems: [finding(answer.code, answer.reason, 'social_account_id')] };
    case 'later':
    case 'unknown':
      return {
        ...none,
        platform,
        problems: [
          warning(
            'creator_unknown',
            `The platform could not be asked what the account may do: ${answer.reason}`,
            'social_account_id',
          ),
        ],
      };
    default:
      return answer satisfies never;
  }
}

async function findAccount(app: App, { org_id, social_account_id }: PostRow) {
  if (social_account_id === null) return null;
  const found = await app.db.read
    .selectFrom('social_accounts')
    .select((eb) => ['id', 'platform', 'username', 'status', ...blockColumns(eb)])
    .where(isRow({ org_id, id: social_account_id }))
    .executeTakeFirst();
  return found ? { ...found, block: runningBlock(found, app.clock.now()) } : null;
}

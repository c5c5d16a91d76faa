// What needs attention, one row per cause. Each cause reads a bounded number of rows along an index of its own, so the cost
// does not grow with the organization. A post with two causes, such as no media and an account to reconnect, counts in both.
import { isRunning } from '../../accounts/blocks.js';
import type { App } from '../../app/app.js';
import type { Reader } from '../../db/database.js';
import type { Caller } from '../../request/caller.js';
import { onePage, type Page } from '../../request/pagination.js';
import { countAllPosts, FEW_POSTS } from '../counters.js';
import { BLOCKED, blockedAccounts, groupBlocked } from './blocked.js';
import { emptySlots, isWaitingForFile, rejectedFiles } from './files.js';
import { isNotArchived, unusableAccounts, withPassedTime } from './needing-attention.js';
import {
  byUrgency,
  counted,
  FAILED_COLUMNS,
  type FailedPost,
  type Group,
  groupByProblem,
  groupFailures,
  groupIfAny,
  presentGroup,
} from './rows.js';
import { type Attention, MAX_COUNTED, MAX_IDS, MAX_ROWS } from './schema.js';
import { postsThatWillFail } from './will-fail.js';

export function listAttention(app: App, { orgId }: Caller): Promise<Page<Attention>> {
  return app.queues.longReads(orgId, async () => {
    const read = (await countAllPosts(app, orgId)) > FEW_POSTS ? app.db.readLong : app.db.read;
    const now = app.clock.now();
    const failing = await postsThatWillFail(app, read, orgId);
    const blocked = await blockedAccounts(read, orgId);
    const stillBlocked = [...blocked.values()].filter(({ block }) => isRunning(block, now));
    const failed = await failedPosts(
      read,
      orgId,
      stillBlocked.map(({ id }) => id),
    );
    const groups = [
      ...(await waitingForAccounts(read, orgId)),
      ...groupBlocked(failing, blocked),
      ...(await emptySlots(read, orgId, now, failed.filter(isWaitingForFile))),
      ...(await rejectedFiles(read, orgId)),
      ...groupByProblem(failing).filter(({ code }) => code !== BLOCKED),
      ...(await unknownOutcomes(read, orgId)),
      ...(await failures(read, orgId, failed)),
      ...(await passedTimes(read, orgId, now)),
    ];
    const rows = byUrgency(groups, now).slice(0, MAX_ROWS);
    const titles = await titlesOf(read, orgId, rows.flatMap(onlyPost));
    return onePage(rows.map((row) => presentGroup(row, titles.get(onlyPost(row)[0] ?? ''))));
  });
}

const onlyPost = ({ count, posts: [post] }: Group): string[] => (count === 1 && post ? [post.id] : []);

async function titlesOf(read: Reader, orgId: string, ids: string[]): Promise<Map<string, string>> {
  const posts = read.selectFrom('posts').select(['id', 'title']).where('org_id', '=', orgId);
  const found = ids.length === 0 ? [] : await posts.where('id', 'in', ids).execute();
  return new Map(found.map(({ id, title }) => [id, title]));
}

/** Accounts that must be connected again, with the posts that wait for each. The counters know how many. */
async function waitingForAccounts(read: Reader, orgId: string): Promise<Group[]> {
  const accounts = await read
    .selectFrom('post_counters')
    .innerJoin('social_accounts', (join) =>
      join
        .onRef('social_accounts.org_id', '=', 'post_counters.org_id')
        .onRef('social_accounts.id', '=', 'post_counters.account_id'),
    )
    .select((eb) => [
      'social_accounts.id',
      'social_accounts.username',
      'social_accounts.status',
      eb.fn.sum<number>('n').as('n'),
    ])
    .where('post_counters.org_id', '=', orgId)
    .where('post_counters.status', '=', 'scheduled')
    .where('n', '>', 0)
    .where('social_accounts.status', '<>', 'connected')
    .groupBy(['social_accounts.id', 'social_accounts.username', 'social_accounts.status'])
    .orderBy('n', 'desc')
    .limit(MAX_ROWS)
    .execute();
  const groups: Group[] = [];
  for (const account of accounts) {
    const posts = await read
      .selectFrom('posts')
      .select(['id', 'scheduled_at'])
      .where('org_id', '=', orgId)
      .where('social_account_id', '=', account.id)
      .where('status', '=', 'scheduled')
      .orderBy('scheduled_at')
      .orderBy('id')
      .limit(MAX_IDS)
      .execute();
    if (posts.length === 0) continue;
    const wait = counted(account.n, 'post waits', 'posts wait');
    const group = { account, count: account.n, posts };
    groups.push(
      account.status === 'reconnect_required'
        ? { ...group, cause: 'account_reconnect', message: `${account.username}: reconnect, ${wait}.` }
        : {
            ...group,
            cause: 'account_missing',
            message: `${account.username}: disconnected, ${wait}. Connect it again, or choose another account.`,
          },
    );
  }
  return groups;
}

/** Few posts are being published at a time. */
async function unknownOutcomes(read: Reader, orgId: string): Promise<Group[]> {
  const posts = await read
    .selectFrom('posts')
    .select(['id', 'scheduled_at'])
    .where('org_id', '=', orgId)
    .where('status', '=', 'publishing')
    .where('last_publish_error', 'is not', null)
    .orderBy('updated_at', 'desc')
    .limit(MAX_COUNTED)
    .execute();
  return groupIfAny('outcome_unknown', posts, (n) =>
    counted(
      n,
      'post may have been published or not. Check the account, then resolve it.',
      'posts may have been published or not. Check the accounts, then resolve them.',
    ),
  );
}

/** Drafts with a time that has passed. It was no slot, so none of them is due. */
async function passedTimes(read: Reader, orgId: string, now: number): Promise<Group[]> {
  const posts = await withPassedTime(read, orgId, now)
    .orderBy('scheduled_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_COUNTED)
    .execute();
  return groupIfAny(
    'time_without_slot',
    posts.map(({ id }) => ({ id, scheduled_at: null })),
    (n) =>
      counted(
        n,
        'draft has a time that has passed, but was not scheduled. Schedule it, or remove the time.',
        'drafts have times that have passed, but were not scheduled. Schedule them, or remove the times.',
      ),
  );
}

async function failures(read: Reader, orgId: string, posts: readonly FailedPost[]): Promise<Group[]> {
  const ids = new Set(posts.flatMap(({ social_account_id: id }) => (id === null ? [] : [id])));
  const accounts = read.selectFrom('social_accounts').select(['id', 'username']).where('org_id', '=', orgId);
  const named = ids.size === 0 ? [] : await accounts.where('id', 'in', [...ids]).execute();
  return groupFailures(
    posts.filter((post) => !isWaitingForFile(post)),
    (id) => named.find((account) => account.id === id),
  );
}

/** The newest posts whose last publish failed, except those that only wait for their account. */
const failedPosts = (read: Reader, orgId: string, blocked: string[]): Promise<FailedPost[]> =>
  read
    .selectFrom('posts')
    .select(FAILED_COLUMNS)
    .where('org_id', '=', orgId)
    .where('last_publish_error', 'is not', null)
    .where(isNotArchived)
    .where('status', '<>', 'publishing')
    .where((eb) =>
      eb.not(
        eb.and([
          eb('status', '=', 'scheduled'),
          eb.or([
            eb('social_account_id', 'in', unusableAccounts(read, orgId)),
            ...(blocked.length > 0 ? [eb('social_account_id', 'in', blocked)] : []),
          ]),
        ]),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_COUNTED)
    .execute();

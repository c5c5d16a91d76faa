// Queries on the log of attempts.

import { requireKnownAccount } from '../../accounts/accounts.js';
import { findDispatchTotals } from '../../analytics/dispatch-counters.js';
import type { App } from '../../app/app.js';
import { findAssets } from '../../assets/assets.js';
import { asUuid } from '../../core/ids.js';
import { notFound } from '../../core/problems.js';
import type { Reader } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { AssetRow, AttemptRow, PostRow } from '../../db/tables.js';
import { findPost } from '../../posts/posts.js';
import type { Caller } from '../../request/caller.js';
import {
  countReachable,
  FAR_OFFSET,
  inOrderOf,
  MAX_REACHABLE,
  type Page,
  type PageParameters,
  pageWindow,
  paginate,
} from '../../request/pagination.js';
import { type Contents, readSnapshot, snapshotOf } from '../attempt/snapshot.js';
import { attemptsIn, type LogCursor, type WantedAttempts, wantedAttempts } from './find.js';
import { presentDispatch } from './present.js';
import type { Dispatch, ListDispatches, ListPostDispatches } from './schema.js';

/** Newest first. By outcome alone the total comes from the counters, so it costs the same however long the log is. */
export async function listDispatches(
  app: App,
  { orgId }: Caller,
  input: ListDispatches,
): Promise<Page<Dispatch>> {
  if (input.social_account_id) await requireKnownAccount(app.db.read, orgId, input.social_account_id);
  const wanted = wantedAttempts(orgId, input);
  const { bounds, filters } = wanted;
  const isCounted = bounds.length === 0 && filters.every(({ column }) => column === 'outcome');
  const find = async (read: Reader) => {
    const total = await (isCounted
      ? countAttempts(app, orgId, filters)
      : countReachable(read, attemptsIn(read, wanted, MAX_REACHABLE)));
    return { total, rows: pageWindow(input).offset < total ? await pageOfAll(read, wanted, input) : [] };
  };
  const { total, rows } =
    isCounted && pageWindow(input).offset <= FAR_OFFSET
      ? await find(app.db.read)
      : await app.queues.longReads(orgId, async () =>
          find((await countAttempts(app, orgId, [])) > FEW ? app.db.readLong : app.db.read),
        );
  return paginate(rows.map(presentDispatch), input, total);
}

/** If a list has to look at more attempts than this, they are read aside (`readLong`). */
const FEW = 2_000;

/** Of all outcomes, or of those that the only filter names. */
async function countAttempts(app: App, orgId: string, [filter]: WantedAttempts['filters']): Promise<number> {
  const counters = await findDispatchTotals(app.db.read, orgId);
  return counters
    .filter(({ outcome }) => filter?.values.includes(outcome) ?? true)
    .reduce((sum, { n }) => sum + Number(n), 0);
}

/**
 * Merges the ids and times of several scans first, and fetches whole rows for the page alone. In two statements: in one, SQLite
 * prefers to read the whole log in its order.
 */
async function pageOfAll(read: Reader, wanted: WantedAttempts, input: PageParameters): Promise<AttemptRow[]> {
  const { limit, offset } = pageWindow(input);
  const page = await newestFirst(attemptsIn(read, wanted, offset + limit))
    .limit(limit)
    .offset(offset)
    .execute();
  return readRows(read, wanted.orgId, page);
}

/** Whole rows, in the order of the cursors. */
async function readRows(read: Reader, orgId: string, cursors: readonly LogCursor[]): Promise<AttemptRow[]> {
  const ids = cursors.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await read
    .selectFrom('dispatches')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return inOrderOf(cursors, rows);
}

export async function getDispatch(app: App, { orgId }: Caller, id: string): Promise<Dispatch> {
  const uuid = asUuid(id);
  const row =
    uuid !== null &&
    (await app.db.read
      .selectFrom('dispatches')
      .selectAll()
      .where(isRow({ org_id: orgId, id: uuid }))
      .executeTakeFirst());
  if (!row) throw notFound('dispatch');
  return presentDispatch(row);
}

export async function listDispatchesOf(
  app: App,
  caller: Caller,
  postId: string,
  input: ListPostDispatches,
): Promise<Page<Dispatch>> {
  const uuid = asUuid(postId);
  const [post] = uuid === null ? [] : await findPost(app.db.read, caller.orgId, uuid);
  if (!post) throw notFound('post');
  const log = app.db.read
    .selectFrom('dispatches')
    .where('org_id', '=', caller.orgId)
    .where('post_id', '=', post.id);
  const { n } = await log.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = pageWindow(input);
  const rows = await newestFirst(log.selectAll()).limit(limit).offset(offset).execute();
  if (input.include === undefined) return paginate(rows.map(presentDispatch), input, Number(n));
  const assets = await findAssets(app.db.read, caller.orgId, post.id);
  const withChange = rows.map((row) => ({
    ...presentDispatch(row),
    post_changed: isChangedSince(row, post, assets),
  }));
  return paginate(withChange, input, Number(n));
}

interface Sortable<Query> {
  orderBy(column: 'started_at' | 'id', direction: 'desc'): Query;
}

const newestFirst = <Query extends Sortable<Query>>(query: Query): Query =>
  query.orderBy('started_at', 'desc').orderBy('id', 'desc');

/** The newest attempt of a post that `isWanted` accepts. */
export async function latestDispatch(
  app: App,
  orgId: string,
  postId: string,
  isWanted: (row: AttemptRow) => boolean,
): Promise<AttemptRow | null> {
  const rows = await app.db.read
    .selectFrom('dispatches')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('post_id', '=', postId)
    .orderBy('attempt', 'desc')
    .limit(100)
    .execute();
  return rows.find(isWanted) ?? null;
}

/** Whether a post would be sent otherwise than its attempt sent it. Labels, the archive and a slot are not sent. */
function isChangedSince(
  { snapshot, accepted_at, social_account_id }: AttemptRow,
  post: PostRow,
  assets: readonly AssetRow[],
): boolean {
  const sent = readSnapshot(snapshot);
  const now = snapshotOf(post, post, assets);
  if (contentOf(sent) !== contentOf(now)) return true;
  // A refused request leaves no options on its post: they are the request's own.
  if (accepted_at === null) return false;
  return optionsIn(sent) !== optionsIn(now) || social_account_id !== post.social_account_id;
}

const contentOf = ({ draft, slides, video }: Contents): string =>
  JSON.stringify([
    draft.type,
    draft.title,
    draft.caption,
    draft.hashtags,
    draft.coverIndex,
    draft.coverMs,
    slides.map(({ object_key }) => object_key),
    video?.object_key ?? null,
  ]);

const optionsIn = ({ draft }: Contents): string =>
  JSON.stringify([
    draft.mode,
    draft.privacyLevel,
    draft.disableComment,
    draft.disableDuet,
    draft.disableStitch,
    draft.isBrandedContent,
    draft.isOwnBrand,
  ]);

// Queries on the log of attempts.
import type { SelectQueryBuilder } from 'kysely';
import type { App } from '../../api/app.js';
import type { Caller } from '../../api/caller.js';
import {
  FAR_OFFSET,
  MAX_REACHABLE,
  type Page,
  type PageParameters,
  paginate,
  window,
} from '../../api/pagination.js';
import { assetsOf } from '../../assets/assets.js';
import type { Reader } from '../../db/database.js';
import type { DispatchRow, Tables } from '../../db/tables.js';
import { asUuid } from '../../ground/ids.js';
import { notFound } from '../../ground/problems.js';
import { isChangedSince } from './changed.js';
import { presentDispatch } from './present.js';
import type { Dispatch, ListDispatches, ListPostDispatches } from './schema.js';

/** Newest first. Without an error code the total comes from the counters, so it costs the same however long the log is. */
export async function listDispatches(
  app: App,
  { orgId }: Caller,
  input: ListDispatches,
): Promise<Page<Dispatch>> {
  const isExpensive = input.error_code !== undefined || window(input).offset > FAR_OFFSET;
  const find = async (read: Reader) => {
    let log = read.selectFrom('dispatches').where('org_id', '=', orgId);
    if (input.outcome) log = log.where('outcome', '=', input.outcome);
    if (input.error_code) log = log.where('error_code', '=', input.error_code);
    const total = await (input.error_code ? countUpTo(read, log) : countOf(app, orgId, input.outcome));
    return { total, rows: await pageOf(log, input) };
  };
  const { total, rows } = isExpensive
    ? await app.expensiveReads(orgId, async () =>
        find((await countOf(app, orgId, undefined)) > FEW ? app.db.readAside : app.db.read),
      )
    : await find(app.db.read);
  return paginate(rows.map(presentDispatch), input, total);
}

/** Above this, the attempts that a list has to look at are read aside. */
const FEW = 2_000;

async function countOf(app: App, orgId: string, outcome: ListDispatches['outcome']): Promise<number> {
  const counters = await app.reads.dispatchTotals(orgId);
  return counters
    .filter((counter) => outcome === undefined || counter.outcome === outcome)
    .reduce((sum, { n }) => sum + Number(n), 0);
}

/** For filters without counters: counts as far as one can page. */
async function countUpTo(read: Reader, log: Log): Promise<number> {
  const { n } = await read
    .selectFrom(log.select('id').limit(MAX_REACHABLE).as('reachable'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}

type Log = SelectQueryBuilder<Tables, 'dispatches', object>;

export async function listDispatchesOf(
  app: App,
  caller: Caller,
  postId: string,
  input: ListPostDispatches,
): Promise<Page<Dispatch>> {
  const uuid = asUuid(postId);
  const [post] = uuid === null ? [] : await app.reads.postById(caller.orgId, uuid);
  if (!post) throw notFound('post');
  const log = app.db.read
    .selectFrom('dispatches')
    .where('org_id', '=', caller.orgId)
    .where('post_id', '=', post.id);
  const { n } = await log.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const rows = await pageOf(log, input);
  if (input.include === undefined) return paginate(rows.map(presentDispatch), input, Number(n));
  const assets = await assetsOf(app.db.read, caller.orgId, post.id);
  const withChange = rows.map((row) => ({
    ...presentDispatch(row),
    post_changed: isChangedSince(row, post, assets),
  }));
  return paginate(withChange, input, Number(n));
}

function pageOf(log: Log, input: PageParameters): Promise<DispatchRow[]> {
  const { limit, offset } = window(input);
  return log
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** The newest attempt of a post that `isWanted` accepts. */
export async function latestDispatch(
  app: App,
  orgId: string,
  postId: string,
  isWanted: (row: DispatchRow) => boolean,
): Promise<DispatchRow | null> {
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

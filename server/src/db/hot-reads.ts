// The few reads behind most requests; they are compiled once (see prepared-statements.ts).
import { sql } from 'kysely';
import type { Database, Reader } from './database.js';
import { CURRENT_EPOCH } from './epoch.js';
import { isRow } from './is-row.js';
import { POST_COLUMNS, type SocialAccountTable } from './tables.js';

/** The columns of an account that calls to the platform in its name need. */
export const TOKEN_COLUMNS = [
  'org_id',
  'id',
  'platform',
  'status',
  'status_reason',
  'open_id',
  'scopes',
  'access_token',
  'access_expires_at',
  'refresh_token',
  'refresh_at',
  'token_fence',
  'updated_at',
] as const satisfies (keyof SocialAccountTable)[];

export type HotReads = ReturnType<typeof createHotReads>;

export function createHotReads(db: Database) {
  const countsIn = (read: Reader, table: 'post_counters' | 'inbox_counters', orgId: string) =>
    read
      .selectFrom(table)
      .select((eb) => ['status', 'post_type', eb.fn.sum<number>('n').as('n')])
      .where('org_id', '=', orgId)
      .groupBy(['status', 'post_type']);
  /** The number of posts of each status and type: of all, and of one account. */
  const counts = (table: 'post_counters' | 'inbox_counters') => ({
    all: db.prepareRead((read, orgId: string) => countsIn(read, table, orgId)),
    ofAccount: db.prepareRead((read, orgId: string, accountId: string) =>
      countsIn(read, table, orgId).where('account_id', '=', accountId),
    ),
  });
  /** Scans a range of one index that covers it, up to a number of rows. */
  const postsBy = (moment: 'created_at' | 'posted_at') =>
    db.prepareRead((read, orgId: string, from: number, to: number, limit: number) =>
      read
        .selectFrom('posts')
        .select((eb) => eb.ref(moment).$notNull().as('at'))
        .where('org_id', '=', orgId)
        .where(moment, '>=', from)
        .where(moment, '<', to)
        .limit(limit),
    );
  return {
    postById: db.prepareRead(
      (read, orgId: string, id: string) =>
        read
          .selectFrom('posts')
          .select(POST_COLUMNS)
          .select(CURRENT_EPOCH)
          .where(isRow({ org_id: orgId, id })),
      'post_by_id',
    ),

    tokensOfAccount: db.prepareRead(
      (read, orgId: string, id: string) =>
        read
          .selectFrom('social_accounts')
          .select(TOKEN_COLUMNS)
          .where(isRow({ org_id: orgId, id })),
      'tokens_of_account',
    ),

    usernameOfAccount: db.prepareRead((read, orgId: string, id: string) =>
      read
        .selectFrom('social_accounts')
        .select('username')
        .where(isRow({ org_id: orgId, id })),
    ),

    pendingAssets: db.prepareRead((read, orgId: string, postId: string) =>
      read
        .selectFrom('assets')
        .selectAll()
        .where('org_id', '=', orgId)
        .where('post_id', '=', postId)
        .where('state', '=', sql.lit('pending'))
        .orderBy('position'),
    ),

    /** An attempt, by the secret in its slide URLs. */
    attemptBySlideNonce: db.prepareRead((read, nonce: string) =>
      read
        .selectFrom('dispatches')
        .select(['org_id', 'id', 'snapshot', 'fetched_at', 'revoked_at'])
        .where('nonce', '=', nonce),
    ),

    postCounts: counts('post_counters'),
    /** The same of the posts in the inbox. */
    inboxCounts: counts('inbox_counters'),

    newestPosts: db.prepareRead((read, orgId: string, limit: number, offset: number) =>
      read
        .selectFrom('posts')
        .select(POST_COLUMNS)
        .where('org_id', '=', orgId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset),
    ),

    eventsAfter: db.prepareRead((read, orgId: string, seq: number, limit: number) =>
      read
        .selectFrom('events')
        .selectAll()
        .select((eb) =>
          // The epoch of each event; see events/epochs.ts.
          eb.fn
            .coalesce(
              eb
                .selectFrom('event_epochs')
                .select((inner) => inner.fn.max('event_epochs.epoch').as('epoch'))
                .whereRef('event_epochs.org_id', '=', 'events.org_id')
                .whereRef('event_epochs.after_seq', '<', 'events.seq'),
              sql.lit(0),
            )
            .as('epoch'),
        )
        .where('org_id', '=', orgId)
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit),
    ),
    eventCounter: db.prepareRead((read, orgId: string) =>
      read.selectFrom('event_counters').select('last').where('org_id', '=', orgId),
    ),

    eventEpochs: db.prepareRead((read, orgId: string) =>
      read.selectFrom('event_epochs').select(['epoch', 'after_seq']).where('org_id', '=', orgId),
    ),

    postsCreatedIn: postsBy('created_at'),
    postsPublishedIn: postsBy('posted_at'),
    dispatchesIn: db.prepareRead((read, orgId: string, from: number, to: number, limit: number) =>
      read
        .selectFrom('dispatches')
        .select(['started_at', 'outcome', 'scheduled_for', 'error_code'])
        .where('org_id', '=', orgId)
        .where('started_at', '>=', from)
        .where('started_at', '<', to)
        .limit(limit),
    ),

    /** See analytics/revision.ts. */
    revision: db.prepareRead((read, orgId: string) =>
      read.selectFrom('revisions').select('n').where('org_id', '=', orgId),
    ),

    /** The totals of the analytics summary. */
    postTotals: db.prepareRead((read, orgId: string) =>
      read
        .selectFrom('post_counters')
        .select((eb) => ['status', 'published', eb.fn.sum<number>('n').as('n')])
        .where('org_id', '=', orgId)
        .groupBy(['status', 'published']),
    ),
    dispatchTotals: db.prepareRead((read, orgId: string) =>
      read.selectFrom('dispatch_counters').select(['outcome', 'n']).where('org_id', '=', orgId),
    ),
  };
}

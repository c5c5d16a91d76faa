// Connected accounts of the platform: references to them, the list, and the creator's options.

import type { App, TxApp } from '../app/app.js';
import { byCaller, recordAudit } from '../audit/record.js';
import { toTimestamp } from '../core/clock.js';
import { asUuid, NIL_UUID } from '../core/ids.js';
import { invalid, notFound } from '../core/problems.js';
import type { Reason } from '../core/reasons.js';
import { markChanged } from '../db/changes.js';
import type { Reader, Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import { prepareRead } from '../db/prepared-statements.js';
import type { SocialAccountRow } from '../db/tables.js';
import type { Caller, CallerWithAddress } from '../request/caller.js';
import { type Page, type PageParameters, pageWindow, paginate } from '../request/pagination.js';
import type { Platform } from '../request/platforms.js';
import { type BlockColumns, blockColumns, blockOf } from './blocks.js';
import { callAsAccount } from './platform-calls.js';
import { platformError } from './platform-errors.js';
import type { CreatorOptions, SocialAccount, UpdateAccount } from './schema.js';
import { splitScopes } from './stored-tokens.js';

/** For filters: posts published through an account that was disconnected since can still be found. */
export async function requireKnownAccount(
  read: Reader | Tx,
  orgId: string,
  id: string,
): Promise<Pick<SocialAccountRow, 'id' | 'platform' | 'username'>> {
  const uuid = asUuid(id);
  const found =
    uuid !== null &&
    (await read
      .selectFrom('social_accounts')
      .select(['id', 'platform', 'username'])
      .where(isRow({ org_id: orgId, id: uuid }))
      .executeTakeFirst());
  if (!found)
    throw invalid([{ pointer: '/social_account_id', message: 'is not an account of your organization' }]);
  return found;
}

/** Those of the organization, also while they wait for a new consent. A disconnected account no longer is. */
export const accountsInUse = (read: Reader | Tx, orgId: string) =>
  read.selectFrom('social_accounts').where('org_id', '=', orgId).where('status', '<>', 'disconnected');

const accountInUse = (read: Reader | Tx, orgId: string, id: string) =>
  accountsInUse(read, orgId).where('id', '=', asUuid(id) ?? NIL_UUID);

/** The account that a request names for a post. One that must be reconnected will do: the post waits for it. */
export async function requireAccountInUse(read: Reader | Tx, orgId: string, id: string) {
  const found = await accountInUse(read, orgId, id)
    .select(['org_id', 'id', 'platform', 'status', 'access_token', 'refresh_token'])
    .select(['status_reason', 'status_reason_code'])
    .select(blockColumns)
    .executeTakeFirst();
  if (found) return found;
  const message = 'is not a connected account of your organization';
  throw invalid([{ pointer: '/social_account_id', message }]);
}

/** Why the account cannot be used before it is connected again. */
export const reconnectReason = (
  account: Pick<SocialAccountRow, 'status_reason' | 'status_reason_code'> | undefined,
): Reason => ({
  code: account?.status_reason_code ?? 'reconnect_required',
  reason: account?.status_reason ?? 'The account must be reconnected (reconnect_required)',
});

/** Serializes claims per account, because its pace is counted. */
export const lockAccount = prepareRead((tx: Tx, orgId: string, id: string) =>
  tx
    .selectFrom('social_accounts')
    .select(['org_id', 'id', 'platform', 'status', 'status_reason', 'status_reason_code', 'updated_at'])
    .select(blockColumns)
    .where(isRow({ org_id: orgId, id }))
    .forUpdate(),
);

/** The platform that events about the account name; the account may be disconnected by now. */
export async function findPlatform(tx: Tx, orgId: string, id: string): Promise<Platform> {
  const { platform } = await tx
    .selectFrom('social_accounts')
    .select('platform')
    .where(isRow({ org_id: orgId, id }))
    .executeTakeFirstOrThrow();
  return platform as Platform;
}

export const findUsername = prepareRead((read, orgId: string, id: string) =>
  read
    .selectFrom('social_accounts')
    .select('username')
    .where(isRow({ org_id: orgId, id })),
);

/** What the API shows. Tokens are not even read. */
const COLUMNS = [
  'id',
  'platform',
  'username',
  'display_name',
  'avatar_url',
  'status',
  'status_reason',
  'scopes',
  'refresh_expires_at',
  'default_mode',
  'default_hashtags',
  'created_at',
  'updated_at',
] as const;

export async function listAccounts(
  app: App,
  caller: Caller,
  input: PageParameters,
): Promise<Page<SocialAccount>> {
  const accounts = accountsInUse(app.db.read, caller.orgId);
  const { n } = await accounts.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = pageWindow(input);
  const rows = await accounts
    .select(COLUMNS)
    .select(blockColumns)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return paginate(rows.map(presentAccount), input, n);
}

export const getAccount = (app: App, caller: Caller, id: string): Promise<SocialAccount> =>
  readAccount(app.db.read, caller, id);

export async function readAccount(
  read: Reader | Tx,
  { orgId }: Pick<Caller, 'orgId'>,
  id: string,
): Promise<SocialAccount> {
  const found = accountInUse(read, orgId, id).select(COLUMNS).select(blockColumns);
  const row = await found.executeTakeFirst();
  if (!row) throw notFound('account');
  return presentAccount(row);
}

function presentAccount(
  account: Pick<SocialAccountRow, (typeof COLUMNS)[number]> & BlockColumns,
): SocialAccount {
  const {
    refresh_expires_at,
    block_reason_code: _ownCode,
    platform_blocked_until: _until,
    platform_block_reason: _reason,
    platform_block_reason_code: _code,
    ...row
  } = account;
  return {
    ...row,
    ...presentBlock(account),
    platform: row.platform as Platform,
    authorization_expires_at: refresh_expires_at === null ? null : toTimestamp(refresh_expires_at),
    status: row.status as SocialAccount['status'],
    scopes: splitScopes(row.scopes),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function presentBlock(account: BlockColumns) {
  const block = blockOf(account);
  return {
    blocked_until: block && toTimestamp(block.until),
    block_reason: block?.reason ?? null,
  };
}

/** What the dashboard fills in for the account. No request to the API reads it. */
export async function updateAccount(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  input: UpdateAccount,
): Promise<SocialAccount> {
  const before = await accountInUse(tx, caller.orgId, id)
    .select(['id', 'username', 'default_mode', 'default_hashtags'])
    .forUpdate()
    .executeTakeFirst();
  if (!before) throw notFound('account');
  const changes = Object.fromEntries(
    Object.entries(input).filter(([name, value]) => before[name as keyof UpdateAccount] !== value),
  ) as UpdateAccount;
  if (Object.keys(changes).length === 0) return readAccount(tx, caller, id);
  await tx
    .updateTable('social_accounts')
    .set({ ...changes, updated_at: app.clock.now() })
    .where(isRow({ org_id: caller.orgId, id: before.id }))
    .execute();
  markChanged(tx, caller.orgId, { accounts: true });
  await recordAudit(app, tx, byCaller(caller), {
    action: 'account.defaults_changed',
    target: { id: before.id, name: before.username },
    details: changes,
  });
  return readAccount(tx, caller, id);
}

/** What the creator may choose now. Never cached: the platform requires a fresh query whenever a person chooses. */
export async function getCreatorOptions(app: App, caller: Caller, id: string): Promise<CreatorOptions> {
  const account = await accountInUse(app.db.read, caller.orgId, id)
    .select((eb) => ['org_id', 'id', 'platform', ...blockColumns(eb)])
    .executeTakeFirst();
  if (!account) throw notFound('account');
  app.safety.assertNormalMode();
  const answer = await callAsAccount(app, account, (token, signal, connector) =>
    connector.creator(token, signal),
  );
  if (answer.kind !== 'ok') throw platformError(answer);
  const { value } = answer;
  const { supports } = app.connector(account.platform);
  return {
    platform: account.platform as Platform,
    supports: {
      post_types: [...supports.postTypes],
      modes: [...supports.modes],
      toggles: [...supports.toggles],
    },
    username: value.username,
    nickname: value.nickname,
    avatar_url: value.avatarUrl,
    privacy_level_options: value.privacyLevels,
    comment_disabled: value.isCommentDisabled,
    duet_disabled: value.isDuetDisabled,
    stitch_disabled: value.isStitchDisabled,
    max_video_post_duration_sec: value.maxVideoSeconds,
    ...presentBlock(account),
  };
}

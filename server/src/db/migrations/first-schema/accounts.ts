// Connected accounts with their tokens, what a platform blocks, and consents that are under way.
import type { ColumnTypes } from '../migration.js';

export const accounts = ({ uuid, binaryText }: ColumnTypes): string[] => [
  // The same person may have an account on each platform.
  `create table social_accounts (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    username text not null,
    display_name text,
    status ${binaryText} not null check (status in ('connected', 'reconnect_required', 'disconnected')),
    created_at bigint not null,
    updated_at bigint not null,
    open_id ${binaryText},
    avatar_url text,
    scopes text not null default '',
    status_reason text,
    status_reason_code ${binaryText},
    access_token text,
    access_expires_at bigint,
    refresh_token text,
    refresh_expires_at bigint,
    refresh_at bigint,
    refreshing_until bigint,
    token_fence integer not null default 0,
    platform ${binaryText} not null default 'tiktok',
    default_mode ${binaryText} check (default_mode in ('direct', 'inbox')),
    default_hashtags text,
    blocked_until bigint,
    block_reason text,
    block_reason_code ${binaryText},
    primary key (org_id, id)
  )`,
  'create unique index one_account_per_person on social_accounts (org_id, platform, open_id) where open_id is not null',
  'create index social_accounts_by_person on social_accounts (open_id) where open_id is not null',
  'create index social_accounts_to_refresh on social_accounts (refresh_at) where refresh_at is not null',
  "create index social_accounts_in_use on social_accounts (org_id) where status <> 'disconnected'",

  // Everything on a platform, if the app has reached its own cap (docs/internals/publishing.md). The probe is the attempt that goes
  // first afterwards, whichever organization it belongs to.
  `create table platform_blocks (
    platform ${binaryText} not null primary key,
    blocked_until bigint not null,
    reason text not null,
    reason_code ${binaryText} not null,
    probe_org_id ${uuid},
    probe_id ${uuid}
  )`,

  // A pending consent keeps who began it: its end is a request of the platform's page, which says nothing about that. `account_id`
  // is the account that it is to reconnect. Null: any account.
  `create table oauth_states (
    hash ${binaryText} primary key,
    org_id ${uuid} not null references organizations (id),
    verifier text not null,
    redirect_uri text not null,
    created_at bigint not null,
    expires_at bigint not null,
    session_id ${uuid},
    platform ${binaryText} not null default 'tiktok',
    begun_by text,
    account_id ${uuid}
  )`,
  'create index oauth_states_by_age on oauth_states (expires_at)',

  // Which processes are about to exchange a code or to revoke a grant, so that no revocation ends a grant that is just being
  // received (accounts/grant-calls.ts).
  `create table grant_calls (
    id ${uuid} primary key,
    platform ${binaryText} not null,
    kind ${binaryText} not null check (kind in ('exchange', 'revocation')),
    valid_until bigint not null
  )`,
];

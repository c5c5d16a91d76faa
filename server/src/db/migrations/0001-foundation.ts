import type { Migration } from './migration.js';
// Organizations, keys, accounts, posts, their counters, and what requests leave behind.
//
// Rows of an organization have (org_id, id) as their key and are referenced by both columns, so that a row cannot point
// into another organization. Posts have one index per way to list them: each list is an index scan, or a merge of a few
// (see posts/list/list.ts).

export const foundation: Migration = {
  name: 'foundation',
  statements: ({ uuid, word }) => [
    `create table organizations (
      id ${uuid} primary key,
      name text not null,
      plan ${word} not null check (plan in ('starter', 'growth', 'agency', 'api_only')),
      trial_ends_at bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,

    `create table api_keys (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      name text not null,
      hash ${word} not null unique,
      prefix text not null,
      scopes text not null,
      expires_at bigint,
      revoked_at bigint,
      last_used_at bigint,
      created_at bigint not null,
      primary key (org_id, id)
    )`,

    `create table social_accounts (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      username text not null,
      display_name text,
      status ${word} not null check (status in ('connected', 'reconnect_required', 'disconnected')),
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, id)
    )`,

    `create table posts (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      post_type ${word} not null check (post_type in ('slides', 'video')),
      title text not null,
      caption text,
      hashtags text,
      status ${word} not null check (status in ('draft', 'scheduled', 'publishing', 'posted', 'archived')),
      scheduled_at bigint,
      posted_at bigint,
      social_account_id ${uuid},
      publish_mode ${word} not null default 'direct' check (publish_mode in ('direct', 'inbox')),
      publish_retries integer not null default 0,
      last_publish_error text,
      privacy_level ${word} check (privacy_level in
        ('PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY')),
      disable_comment smallint not null default 0 check (disable_comment in (0, 1)),
      disable_duet smallint not null default 0 check (disable_duet in (0, 1)),
      disable_stitch smallint not null default 0 check (disable_stitch in (0, 1)),
      brand_content_toggle smallint not null default 0 check (brand_content_toggle in (0, 1)),
      brand_organic_toggle smallint not null default 0 check (brand_organic_toggle in (0, 1)),
      search_text text not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, id),
      foreign key (org_id, social_account_id) references social_accounts (org_id, id),
      check (status <> 'scheduled'
        or (scheduled_at is not null and social_account_id is not null and privacy_level is not null))
    )`,
    'create index posts_by_birth on posts (org_id, created_at, id)',
    'create index posts_by_kind on posts (org_id, status, post_type, created_at, id)',
    'create index posts_by_account on posts (org_id, social_account_id, status, post_type, created_at, id)',
    'create index posts_by_slot on posts (org_id, scheduled_at, id)',
    'create index posts_by_status_and_slot on posts (org_id, status, scheduled_at, id)',
    'create index posts_with_error on posts (org_id, created_at, id) where last_publish_error is not null',

    `create table post_counters (
      org_id ${uuid} not null references organizations (id),
      status ${word} not null,
      post_type ${word} not null,
      account_id ${uuid} not null,
      published smallint not null,
      n bigint not null,
      primary key (org_id, status, post_type, account_id, published)
    )`,

    `create table dispatch_counters (
      org_id ${uuid} not null references organizations (id),
      outcome ${word} not null,
      n bigint not null,
      primary key (org_id, outcome)
    )`,

    `create table idempotency_records (
      org_id ${uuid} not null,
      key ${word} not null,
      fingerprint ${word} not null,
      answer text,
      created_at bigint not null,
      primary key (org_id, key)
    )`,
    'create index idempotency_records_by_age on idempotency_records (created_at)',

    'create table key_check (id integer primary key check (id = 1), sealed text not null)',

    `create table workers (
      id ${uuid} primary key,
      started_at bigint not null,
      beat_at bigint not null
    )`,
  ],
};

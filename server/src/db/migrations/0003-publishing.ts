import type { Migration } from './migration.js';
// Accounts with their tokens, the log of attempts, and what the engine needs to continue after a crash.
//
// The worker that raised a dispatch's `turn` (its fence) owns it: every later write names that number, so a worker that was
// paused beyond its lease changes nothing. `next_at` is when another worker may take over, or should poll again; null means
// that nothing is left to do. A scheduled post is due at `wait_until`, or at its slot if that is null.

export const publishing: Migration = {
  name: 'publishing',
  statements: ({ uuid, word }) => [
    'alter table posts add column wait_until bigint',
    "create index posts_due on posts (coalesce(wait_until, scheduled_at), scheduled_at) where status = 'scheduled'",

    `alter table social_accounts add column open_id ${word}`,
    'alter table social_accounts add column avatar_url text',
    "alter table social_accounts add column scopes text not null default ''",
    'alter table social_accounts add column status_reason text',
    'alter table social_accounts add column access_token text',
    'alter table social_accounts add column access_expires_at bigint',
    'alter table social_accounts add column refresh_token text',
    'alter table social_accounts add column refresh_expires_at bigint',
    'alter table social_accounts add column refresh_at bigint',
    'alter table social_accounts add column refreshing_until bigint',
    'alter table social_accounts add column token_turn integer not null default 0',
    'create unique index one_account_per_person on social_accounts (org_id, open_id) where open_id is not null',
    'create index social_accounts_by_person on social_accounts (open_id) where open_id is not null',
    'create index social_accounts_to_refresh on social_accounts (refresh_at) where refresh_at is not null',

    `create table oauth_states (
      hash ${word} primary key,
      org_id ${uuid} not null references organizations (id),
      verifier text not null,
      redirect_uri text not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    'create index oauth_states_by_age on oauth_states (expires_at)',

    `create table dispatches (
      org_id ${uuid} not null,
      id ${uuid} not null,
      post_id ${uuid} not null,
      social_account_id ${uuid} not null,
      trigger_kind ${word} not null check (trigger_kind in ('api', 'dashboard', 'schedule', 'retry')),
      attempt integer not null,
      mode ${word} not null check (mode in ('direct', 'inbox')),
      outcome ${word} not null check (outcome in
        ('started', 'accepted', 'published', 'in_inbox', 'failed', 'unknown')),
      phase ${word} not null check (phase in ('sending', 'transferring', 'observing', 'done')),
      publish_id ${word},
      social_status text,
      post_url text,
      setback ${word} check (setback in ('later', 'refused', 'reauthorize', 'unknown')),
      error_code text,
      error_message text,
      retry_after_ms bigint,
      scheduled_for bigint,
      started_at bigint not null,
      accepted_at bigint,
      finished_at bigint,
      checked_at bigint,
      continued_by ${uuid},
      snapshot text not null,
      nonce ${word} unique,
      fetched_at bigint,
      revoked_at bigint,
      upload text,
      sent_at bigint,
      turn integer not null default 1,
      lease_until bigint,
      next_at bigint,
      checks integer not null default 0,
      primary key (org_id, id),
      foreign key (org_id, post_id) references posts (org_id, id),
      foreign key (org_id, social_account_id) references social_accounts (org_id, id)
    )`,
    `create unique index one_open_dispatch_per_post on dispatches (org_id, post_id)
      where outcome in ('started', 'accepted', 'unknown')`,
    'create index dispatches_by_post on dispatches (org_id, post_id, attempt)',
    'create index dispatches_by_time on dispatches (org_id, started_at, id)',
    'create index dispatches_by_outcome on dispatches (org_id, outcome, started_at, id)',
    'create index dispatches_by_account on dispatches (org_id, social_account_id, started_at)',
    'create index dispatches_by_publish_id on dispatches (publish_id) where publish_id is not null',
    'create index dispatches_next on dispatches (next_at) where next_at is not null',

    `create table platform_hints (
      key ${word} primary key,
      received_at bigint not null
    )`,
    'create index platform_hints_by_age on platform_hints (received_at)',

    `alter table idempotency_records add column dispatch_id ${uuid}`,
  ],
};

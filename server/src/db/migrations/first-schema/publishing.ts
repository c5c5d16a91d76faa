// The log of attempts, and what the engine needs to continue after a crash.
//
// The worker that raised an attempt's `fence` owns it: every later write names that number, so a worker that was paused beyond its
// lease changes nothing. `next_at` is when another worker may recover it, or should poll again; null means that nothing is left to
// do. An attempt keeps (`submission_ref`) what a lost answer to its submit is cleared up with.
import type { ColumnTypes } from '../migration.js';
import { createTriggers } from './triggers.js';

export const publishing = (types: ColumnTypes): string[] => {
  const { uuid, binaryText } = types;
  return [
    `create table dispatches (
    org_id ${uuid} not null,
    id ${uuid} not null,
    post_id ${uuid} not null,
    social_account_id ${uuid} not null,
    trigger_kind ${binaryText} not null check (trigger_kind in ('api', 'dashboard', 'schedule', 'retry')),
    attempt integer not null,
    mode ${binaryText} not null check (mode in ('direct', 'inbox')),
    outcome ${binaryText} not null check (outcome in
      ('started', 'accepted', 'published', 'in_inbox', 'failed', 'unknown')),
    phase ${binaryText} not null check (phase in ('sending', 'transferring', 'observing', 'done')),
    publish_id ${binaryText},
    social_status text,
    post_url text,
    failure ${binaryText} check (failure in ('retryable', 'refused', 'reauthorize', 'unknown')),
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
    nonce ${binaryText} unique,
    fetched_at bigint,
    revoked_at bigint,
    upload text,
    sent_at bigint,
    fence integer not null default 1,
    lease_until bigint,
    next_at bigint,
    checks integer not null default 0,
    platform ${binaryText} not null default 'tiktok',
    submission_ref text,
    platform_post_id ${binaryText},
    primary key (org_id, id),
    foreign key (org_id, post_id) references posts (org_id, id),
    foreign key (org_id, social_account_id) references social_accounts (org_id, id)
  )`,
    `create unique index one_open_dispatch_per_post on dispatches (org_id, post_id)
    where outcome in ('started', 'accepted', 'unknown')`,
    'create index dispatches_by_post on dispatches (org_id, post_id, attempt)',
    'create index dispatches_by_time on dispatches (org_id, started_at, id)',
    'create index dispatches_by_outcome on dispatches (org_id, outcome, started_at, id)',
    'create index dispatches_by_account on dispatches (org_id, social_account_id, started_at, id)',
    'create index dispatches_by_trigger on dispatches (org_id, trigger_kind, started_at, id)',
    'create index dispatches_by_reason on dispatches (org_id, error_code, started_at, id) where error_code is not null',
    // What may be on an account: few rows, read before an agent publishes there.
    "create index dispatches_unknown on dispatches (org_id, social_account_id, started_at, id) where outcome = 'unknown'",
    'create index dispatches_by_publish_id on dispatches (publish_id) where publish_id is not null',

    // Covers every daily query on attempts, so that no row is fetched: rows are wide, and reading a year of them took 20 times as
    // long.
    'create index dispatches_by_day on dispatches (org_id, started_at, outcome, scheduled_for, error_code)',

    // Finds due attempts as the indexes of posts find due posts: by time, without reading a row, and by organization.
    'create index dispatches_next on dispatches (next_at, phase, org_id) where next_at is not null',
    'create index dispatches_next_by_organization on dispatches (phase, org_id, next_at) where next_at is not null',

    `create table dispatch_counters (
    org_id ${uuid} not null references organizations (id),
    outcome ${binaryText} not null,
    n bigint not null,
    primary key (org_id, outcome)
  )`,

    // Webhooks that were received; the platform may repeat them.
    `create table platform_webhooks (
    key ${binaryText} primary key,
    received_at bigint not null
  )`,
    'create index platform_webhooks_by_age on platform_webhooks (received_at)',

    ...createTriggers(types, { copy_last_outcome: COPY_LAST_OUTCOME }, [
      { name: 'last_outcome_insert', after: 'insert on dispatches', action: 'copy_last_outcome' },
      { name: 'last_outcome_update', after: 'update of outcome on dispatches', action: 'copy_last_outcome' },
    ]),
  ];
};

/** The engine writes last_outcome with the post, and the trigger finds nothing to do then. It stands for all other writes. */
const COPY_LAST_OUTCOME = `update posts set last_outcome = new.outcome
      where org_id = new.org_id and id = new.post_id and last_outcome is distinct from new.outcome
        and not exists (select 1 from dispatches as newer
          where newer.org_id = new.org_id and newer.post_id = new.post_id and newer.attempt > new.attempt);`;

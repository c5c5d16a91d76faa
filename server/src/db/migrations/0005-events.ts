import type { Migration } from './migration.js';
// Events in commit order, and the indexes that daily analytics scan.
//
// `dispatches_by_day` covers every daily query on attempts, so that no row is fetched: rows are wide, and reading a year of
// them took 20 times as long.

export const events: Migration = {
  name: 'events',
  statements: ({ uuid, word }) => [
    `create table events (
      org_id ${uuid} not null references organizations (id),
      seq bigint not null,
      type ${word} not null check (type in
        ('post.scheduled', 'post.published', 'post.publish_failed', 'post.outcome_unknown', 'account.disconnected')),
      data text not null,
      created_at bigint not null,
      primary key (org_id, seq)
    )`,
    'create index events_by_age on events (created_at)',

    `create table event_counters (
      org_id ${uuid} primary key references organizations (id),
      last bigint not null
    )`,

    `create table revisions (
      org_id ${uuid} primary key references organizations (id),
      n bigint not null
    )`,
    'create index posts_by_publication on posts (org_id, posted_at) where posted_at is not null',
    'create index dispatches_by_day on dispatches (org_id, started_at, outcome, scheduled_for, error_code)',
  ],
};

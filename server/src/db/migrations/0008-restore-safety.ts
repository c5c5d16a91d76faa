import type { Migration } from './migration.js';
// Tells a restored database from one that has run without a break, and keeps event ids unique across a restore. The row of
// `installation` is written by the first start, not here: a backup made before this migration must be recognized by its
// absence.

export const restoreSafety: Migration = {
  name: 'restore safety',
  statements: ({ uuid, word }) => [
    `create table installation (
      id integer primary key check (id = 1),
      installation_id ${word} not null,
      counter bigint not null,
      noted_at bigint not null,
      store_noted integer not null default 0,
      epoch bigint not null default 0,
      safe_since bigint,
      safe_reason text,
      restored_to bigint,
      released_at bigint,
      first_sweep ${word} check (first_sweep in ('due', 'allowed'))
    )`,
    // Whether the caller that asked for the upload may change the files of a scheduled post.
    'alter table assets add column may_change_scheduled integer not null default 1',
    `create table event_epochs (
      org_id ${uuid} not null references organizations (id),
      epoch bigint not null,
      after_seq bigint not null,
      primary key (org_id, epoch)
    )`,
  ],
};

// What belongs to the installation as a whole, and what requests leave behind.
import type { ColumnTypes } from '../migration.js';

export const installation = ({ uuid, binaryText }: ColumnTypes): string[] => [
  // Tells a restored database from one that has run without a break. The first start writes the row. `recent_tags` distinguishes two
  // raises of the counter to the same number: by a database that lost commits in a failover, and by the one that had made them
  // (decision 0016).
  `create table installation (
    id integer primary key check (id = 1),
    installation_id ${binaryText} not null,
    counter bigint not null,
    noted_at bigint not null,
    store_noted integer not null default 0,
    epoch bigint not null default 0,
    safe_since bigint,
    safe_reason text,
    restored_to bigint,
    released_at bigint,
    first_sweep ${binaryText} check (first_sweep in ('due', 'allowed')),
    recent_tags text not null default ''
  )`,

  'create table key_check (id integer primary key check (id = 1), sealed text not null)',

  `create table workers (
    id ${uuid} primary key,
    started_at bigint not null,
    heartbeat_at bigint not null
  )`,

  `create table idempotency_records (
    org_id ${uuid} not null,
    key ${binaryText} not null,
    fingerprint ${binaryText} not null,
    response text,
    created_at bigint not null,
    dispatch_id ${uuid},
    primary key (org_id, key)
  )`,
  'create index idempotency_records_by_age on idempotency_records (created_at)',
];

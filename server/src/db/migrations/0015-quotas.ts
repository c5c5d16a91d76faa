import type { Migration } from './migration.js';

// What organizations use, and the quotas that the operator set for one of them.
//
// Triggers keep the bytes, so that they are right whichever process writes, also one that does not know the table. A pending
// upload counts what was announced, a ready file its size, a replaced video its size until it is removed, and the record of
// an Idempotency-Key its kept answer. On Postgres, creating the triggers locks each table until this migration commits, so
// the sums at the end miss nothing; the tables come in the order in which transactions use them.

const fileBytes = (row: string) =>
  `case ${row}.state when 'ready' then coalesce(${row}.size, 0) when 'pending' then coalesce(${row}.announced_length, 0) else 0 end`;
const replacedBytes = (row: string) => `coalesce(${row}.size, 0)`;

interface Counted {
  table: string;
  kind: 'files' | 'answers';
  columns: string;
  bytes: (row: string) => string;
}

const countedOn = (engine: 'sqlite' | 'postgres'): Counted[] => [
  {
    table: 'idempotency_records',
    kind: 'answers',
    columns: 'answer',
    bytes: (row) => `coalesce(${engine === 'sqlite' ? 'length' : 'octet_length'}(${row}.answer), 0)`,
  },
  { table: 'assets', kind: 'files', columns: 'state, size, announced_length', bytes: fileBytes },
  { table: 'condemned_objects', kind: 'files', columns: 'size', bytes: replacedBytes },
];

const add = (org: string, kind: string, change: string) =>
  `insert into stored_bytes (org_id, kind, n) values (${org}, '${kind}', ${change})
      on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;`;

function sqliteTriggers({ table, kind, columns, bytes }: Counted): string[] {
  const trigger = (when: string, row: string, change: string) =>
    `create trigger ${table}_bytes_${when.split(' ')[0]} after ${when} on ${table} for each row when ${change} <> 0
    begin
      ${add(`${row}.org_id`, kind, change)}
    end`;
  return [
    trigger('insert', 'new', bytes('new')),
    trigger(`update of ${columns}`, 'new', `(${bytes('new')}) - (${bytes('old')})`),
    trigger('delete', 'old', `-(${bytes('old')})`),
  ];
}

function postgresTriggers({ table, kind, columns, bytes }: Counted): string[] {
  return [
    `create function count_${table}_bytes() returns trigger language plpgsql as $$
    declare
      change bigint := 0;
    begin
      if tg_op <> 'INSERT' then change := change - (${bytes('old')}); end if;
      if tg_op <> 'DELETE' then change := change + (${bytes('new')}); end if;
      if change = 0 then return null; end if;
      ${add('coalesce(new.org_id, old.org_id)', kind, 'change')}
      return null;
    end $$`,
    `create trigger ${table}_bytes after insert or delete or update of ${columns} on ${table} for each row
    execute function count_${table}_bytes()`,
  ];
}

export const quotas: Migration = {
  name: 'quotas',
  statements: ({ engine, uuid, word }) => [
    `create table stored_bytes (
      org_id ${uuid} not null,
      kind ${word} not null check (kind in ('files', 'answers')),
      n bigint not null,
      primary key (org_id, kind)
    )`,
    ...countedOn(engine).flatMap((counted) => [
      ...(counted.table === 'condemned_objects'
        ? ['alter table condemned_objects add column size bigint']
        : []),
      ...(engine === 'sqlite' ? sqliteTriggers(counted) : postgresTriggers(counted)),
    ]),
    'create index api_keys_in_use on api_keys (org_id, expires_at) where revoked_at is null',
    "create index social_accounts_in_use on social_accounts (org_id) where status <> 'disconnected'",
    'alter table organizations add column quotas text',
    `create table posts_of_day (
      org_id ${uuid} primary key references organizations (id),
      day integer not null,
      n bigint not null
    )`,
    // One pass over each table. Videos that were replaced before have no size, and are gone within the grace period.
    ...countedOn(engine)
      .filter(({ table }) => table !== 'condemned_objects')
      .map(
        ({ table, kind, bytes }) =>
          `insert into stored_bytes (org_id, kind, n) select org_id, '${kind}', sum(${bytes(table)}) from ${table} group by org_id`,
      ),
  ],
};

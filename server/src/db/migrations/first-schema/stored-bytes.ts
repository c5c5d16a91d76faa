// How many bytes an organization has stored.
//
// Triggers count them, so that they are right whichever code writes. A pending upload counts what was announced, or its size once it
// has arrived; a ready file its size, a replaced video its size until it is removed, and the record of an Idempotency-Key its
// response.
import type { ColumnTypes } from '../migration.js';

export const storedBytes = (types: ColumnTypes): string[] => {
  const { engine, uuid, binaryText } = types;
  return [
    `create table stored_bytes (
    org_id ${uuid} not null,
    kind ${binaryText} not null check (kind in ('files', 'responses')),
    n bigint not null,
    primary key (org_id, kind)
  )`,
    ...countedOn(engine).flatMap(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
  ];
};

interface Counted {
  table: string;
  kind: 'files' | 'responses';
  columns: string;
  bytes: (row: 'old' | 'new') => string;
}

const countedOn = (engine: ColumnTypes['engine']): Counted[] => [
  {
    table: 'idempotency_records',
    kind: 'responses',
    columns: 'response',
    bytes: (row) => `coalesce(${engine === 'sqlite' ? 'length' : 'octet_length'}(${row}.response), 0)`,
  },
  {
    table: 'assets',
    kind: 'files',
    columns: 'state, size, announced_length',
    bytes: (row) =>
      `case ${row}.state when 'ready' then coalesce(${row}.size, 0) when 'pending' then coalesce(${row}.announced_length, ${row}.size, 0) else 0 end`,
  },
  {
    table: 'objects_to_delete',
    kind: 'files',
    columns: 'size',
    bytes: (row) => `coalesce(${row}.size, 0)`,
  },
];

const add = (org: string, kind: string, change: string) =>
  `insert into stored_bytes (org_id, kind, n) values (${org}, '${kind}', ${change})
      on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;`;

function sqliteTriggers({ table, kind, columns, bytes }: Counted): string[] {
  const trigger = (when: string, row: 'old' | 'new', change: string) =>
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

/** One trigger per table: it is called for each row in any case. */
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

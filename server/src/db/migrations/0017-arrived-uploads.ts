import type { Migration } from './migration.js';

// A pending upload of unannounced length counts from its arrival on, when its size is written, and no longer only once it is
// inspected. No pending row had a size before, so the counters stay as they are.

const bytes = (row: string) =>
  `case ${row}.state when 'ready' then coalesce(${row}.size, 0) when 'pending' then coalesce(${row}.announced_length, ${row}.size, 0) else 0 end`;

const add = (org: string, change: string) =>
  `insert into stored_bytes (org_id, kind, n) values (${org}, 'files', ${change})
      on conflict (org_id, kind) do update set n = stored_bytes.n + excluded.n;`;

function sqliteTrigger(when: string, row: string, change: string): string[] {
  const name = `assets_bytes_${when.split(' ')[0]}`;
  return [
    `drop trigger ${name}`,
    `create trigger ${name} after ${when} on assets for each row when ${change} <> 0
    begin
      ${add(`${row}.org_id`, change)}
    end`,
  ];
}

const ON_SQLITE = [
  ...sqliteTrigger('insert', 'new', bytes('new')),
  ...sqliteTrigger('update of state, size, announced_length', 'new', `(${bytes('new')}) - (${bytes('old')})`),
  ...sqliteTrigger('delete', 'old', `-(${bytes('old')})`),
];

const ON_POSTGRES = [
  `create or replace function count_assets_bytes() returns trigger language plpgsql as $$
    declare
      change bigint := 0;
    begin
      if tg_op <> 'INSERT' then change := change - (${bytes('old')}); end if;
      if tg_op <> 'DELETE' then change := change + (${bytes('new')}); end if;
      if change = 0 then return null; end if;
      ${add('coalesce(new.org_id, old.org_id)', 'change')}
      return null;
    end $$`,
];

export const arrivedUploads: Migration = {
  name: 'arrived uploads',
  statements: ({ engine }) => (engine === 'sqlite' ? ON_SQLITE : ON_POSTGRES),
};

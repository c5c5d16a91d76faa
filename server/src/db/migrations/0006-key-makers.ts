import type { Migration } from './migration.js';
// Who made a key, so that it goes with them. Null: the operator made it, or nobody noted it yet.
//
// No foreign key: a revoked key stays as a row when its maker's row goes, and SQLite adds none of two columns to a table
// that is there. Whoever looks a key up asks whether its maker still is.

export const keyMakers: Migration = {
  name: 'key makers',
  statements: ({ uuid }) => [
    `alter table api_keys add column created_by ${uuid}`,
    'create index api_keys_by_maker on api_keys (org_id, created_by) where created_by is not null',
  ],
};

import type { Migration } from './migration.js';
// Who made a key, so that it ends with its maker. Null: the operator made it, or it is older than this column.
//
// No foreign key: a revoked key keeps its row when its maker's row is deleted, and SQLite cannot add a foreign key of two
// columns to an existing table. The lookup of a key checks that its maker still exists.

export const keyMakers: Migration = {
  name: 'key makers',
  statements: ({ uuid }) => [
    `alter table api_keys add column created_by ${uuid}`,
    'create index api_keys_by_maker on api_keys (org_id, created_by) where created_by is not null',
  ],
};

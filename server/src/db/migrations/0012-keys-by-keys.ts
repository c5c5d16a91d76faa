import type { Migration } from './migration.js';
// Which key a key was made with, so that it ends with that key. Null: a person or the operator made it, or it is older than
// this column; such a key ends with its person, as before.

export const keysByKeys: Migration = {
  name: 'keys by keys',
  statements: ({ uuid }) => [
    `alter table api_keys add column made_with ${uuid}`,
    'create index api_keys_by_key on api_keys (org_id, made_with) where made_with is not null',
  ],
};

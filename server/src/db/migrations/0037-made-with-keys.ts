import type { Migration } from './migration.js';

// Which key an invitation was made with, and a webhook made, moved or enabled, so that they end with that key. Null: a person
// did it, or a process of a version before this column; such a row outlives every key.
//
// `key_ended_at` equals `disabled_at` if the end of its key disabled the webhook. The check of `disabled_reason` cannot take
// another word on SQLite without a new table.

export const madeWithKeys: Migration = {
  name: 'made with keys',
  statements: ({ uuid }) => [
    `alter table invitations add column made_with ${uuid}`,
    'create index invitations_by_key on invitations (org_id, made_with) where made_with is not null',
    `alter table webhook_endpoints add column made_with ${uuid}`,
    'alter table webhook_endpoints add column key_ended_at bigint',
    `create index webhook_endpoints_by_key on webhook_endpoints (org_id, made_with)
      where made_with is not null and enabled = 1`,
  ],
};

import type { Migration } from './migration.js';
// What the dashboard fills in for an account, and how it shows times to a person. Null: no preference.

export const preferences: Migration = {
  name: 'preferences',
  statements: ({ word }) => [
    `alter table social_accounts add column default_mode ${word} check (default_mode in ('direct', 'inbox'))`,
    'alter table social_accounts add column default_hashtags text',
    `alter table people add column time_format ${word} check (time_format in ('12h', '24h'))`,
  ],
};

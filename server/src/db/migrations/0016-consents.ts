import type { Migration } from './migration.js';
// Which account a consent is to reconnect. Null: any account, or the consent was begun before this column.

export const consents: Migration = {
  name: 'consents',
  statements: ({ uuid }) => [`alter table oauth_states add column account_id ${uuid}`],
};

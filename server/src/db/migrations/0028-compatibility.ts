import type { Migration } from './migration.js';

// The oldest version of the program that still works on the schema, by the number of its own newest migration: during an upgrade
// processes of both versions run at the same time (decision 0037).

export const compatibility: Migration = {
  name: 'compatibility',
  statements: () => ['alter table schema_migrations add column works_from integer'],
};

import type { Migration } from './migration.js';
// Uploads in parts: the length of each part but the last, and what the store itself calls the upload. Null: one PUT.

export const parts: Migration = {
  name: 'parts',
  statements: () => [
    'alter table assets add column part_size integer',
    'alter table assets add column store_upload text',
  ],
};

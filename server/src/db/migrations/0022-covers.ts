import type { Migration } from './migration.js';
// The chosen cover of a post: a slide, or a moment of the video. Null: the platform's choice, the first.

export const covers: Migration = {
  name: 'covers',
  statements: () => [
    'alter table posts add column cover_index smallint',
    'alter table posts add column cover_ms integer',
  ],
};

import type { Migration } from './migration.js';

// The slot that a post lost without being published, and the folded title that lists are sorted by (decision 0028).
//
// Neither is filled here: the organizations that exist are listed, and a loop of the worker goes through their posts. It writes
// title_key, which no response shows, so a change of that column alone leaves the version as it is.
//
// Lists sorted by title or publication merge one index scan for each status and type, like the plain list. Postgres puts nulls
// first in a descending order unless the index says otherwise; SQLite puts them last.

const RAISES_VERSION = {
  sqlite: 'new.version = old.version and new.title_key is old.title_key',
  postgres: 'new.version = old.version and new.title_key is not distinct from old.title_key',
};

export const lastSlotsAndTitles: Migration = {
  name: 'last slots and titles',
  statements: ({ engine, uuid, word }) => [
    'alter table posts add column last_slot bigint',
    `alter table posts add column title_key ${word}`,

    ...(engine === 'sqlite'
      ? [
          'drop trigger posts_version',
          `create trigger posts_version after update on posts for each row when ${RAISES_VERSION.sqlite}
    begin
      update posts set version = old.version + 1 where org_id = new.org_id and id = new.id;
    end`,
        ]
      : [
          'drop trigger posts_version on posts',
          `create trigger posts_version before update on posts for each row when (${RAISES_VERSION.postgres})
    execute function raise_post_version()`,
        ]),

    'create index posts_by_last_slot on posts (org_id, last_slot, id) where last_slot is not null',
    'create index posts_by_title on posts (org_id, status, post_type, title_key, id)',
    engine === 'sqlite'
      ? 'create index posts_by_posting on posts (org_id, status, post_type, posted_at, id)'
      : 'create index posts_by_posting on posts (org_id, status, post_type, posted_at desc nulls last, id desc)',

    `create table organizations_to_backfill (
      org_id ${uuid} primary key references organizations (id),
      created_at bigint not null,
      post_id ${uuid} not null,
      batches integer not null
    )`,
    `insert into organizations_to_backfill (org_id, created_at, post_id, batches)
      select id, -1, '00000000-0000-0000-0000-000000000000', 0 from organizations`,
  ],
};

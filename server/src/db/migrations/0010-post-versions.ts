import type { Migration } from './migration.js';
// The version of a post's row, for its ETag. A trigger raises it, so that a process which does not know the column yet
// counts as well. A statement that raises it itself is left alone: on SQLite, whose trigger runs after the update, only such
// a statement can return the new version.

export const postVersions: Migration = {
  name: 'post versions',
  statements: ({ engine }) => [
    'alter table posts add column version integer not null default 1',
    ...(engine === 'sqlite'
      ? [
          `create trigger posts_version after update on posts for each row when new.version = old.version
    begin
      update posts set version = old.version + 1 where org_id = new.org_id and id = new.id;
    end`,
        ]
      : [
          `create function raise_post_version() returns trigger language plpgsql as $$
    begin
      new.version := old.version + 1;
      return new;
    end $$`,
          `create trigger posts_version before update on posts for each row when (new.version = old.version)
    execute function raise_post_version()`,
        ]),
  ],
};

// The searched text of posts, in a table of its own, and SQLite's index of it (decision 0021).
//
// Postgres gets its index when a process starts, because its extensions may be refused.
import type { ColumnTypes } from '../migration.js';

export const search = ({ engine, uuid }: ColumnTypes): string[] => [
  `create table post_search (
    ${engine === 'sqlite' ? 'n integer primary key autoincrement,' : ''}
    org_id ${uuid} not null,
    post_id ${uuid} not null,
    created_at bigint not null,
    content text not null,
    ${engine === 'sqlite' ? 'unique' : 'primary key'} (org_id, post_id),
    foreign key (org_id, post_id) references posts (org_id, id) on delete cascade
  )`,
  ...(engine === 'sqlite' ? FTS : []),
];

const KEEP_INDEXED = `begin
      insert into post_search_pending (n, org_id, indexed) values (old.n, old.org_id, old.content)
        on conflict (n) do nothing;
    end`;

/**
 * The index is written by a loop of the worker, many posts at a time: FTS5 writes a piece of its index to the file at each
 * savepoint, which took 220 µs of a request that creates a post. What it does not know yet is listed in post_search_pending,
 * with the text that it knows of the post (null: none).
 *
 * An entry's number begins with that of the organization, so the entries of an organization lie together in the list of each
 * trigram, and those of another one are skipped. The text itself is in post_search and is compared: which posts have a trigram is
 * all that is kept. Small pages make the merges shorter that a write now and then has to do: 20 ms at most instead of 40.
 */
const FTS = [
  'create table post_search_organizations (number integer primary key, org_id text not null unique)',
  'create table post_search_pending (n integer primary key, org_id text not null, indexed text)',
  'create index post_search_pending_by_organization on post_search_pending (org_id, n)',
  `create virtual table post_search_fts using fts5
    (content, tokenize = 'trigram case_sensitive 1', content = '', columnsize = 0, detail = none)`,
  "insert into post_search_fts (post_search_fts, rank) values ('pgsz', 1000)",
  `create trigger post_search_inserted after insert on post_search for each row
    begin
      insert into post_search_pending (n, org_id) values (new.n, new.org_id);
    end`,
  `create trigger post_search_updated after update of content on post_search for each row when new.content <> old.content
    ${KEEP_INDEXED}`,
  `create trigger post_search_deleted after delete on post_search for each row
    ${KEEP_INDEXED}`,
];

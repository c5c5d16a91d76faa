import type { Migration } from './migration.js';
// The searched text of posts in a table of its own, and lists of what is still to be written to it (decision 0021).
//
// The organizations that exist are listed: a loop of the worker indexes their posts. A process of the previous release goes on
// writing posts without their text here. It leaves search_mark as it is, so a trigger can tell, and lists the post.
// Postgres gets its index when a process starts, because its extensions may be refused.

export const search: Migration = {
  name: 'search',
  statements: ({ engine, uuid }) => [
    'alter table posts add column search_mark integer not null default 0',

    `create table post_search (
      ${engine === 'sqlite' ? 'n integer primary key autoincrement,' : ''}
      org_id ${uuid} not null,
      post_id ${uuid} not null,
      created_at bigint not null,
      version integer not null,
      content text not null,
      ${engine === 'sqlite' ? 'unique' : 'primary key'} (org_id, post_id),
      foreign key (org_id, post_id) references posts (org_id, id) on delete cascade
    )`,

    `create table posts_to_index (
      id ${engine === 'sqlite' ? 'integer' : 'bigint generated always as identity'} primary key,
      org_id ${uuid} not null,
      post_id ${uuid} not null
    )`,
    'create index posts_to_index_by_post on posts_to_index (org_id, post_id)',

    `create table organizations_to_index (
      org_id ${uuid} primary key references organizations (id),
      created_at bigint not null,
      post_id ${uuid} not null,
      batches integer not null
    )`,
    `insert into organizations_to_index (org_id, created_at, post_id, batches)
      select id, -1, '00000000-0000-0000-0000-000000000000', 0 from organizations`,

    ...(engine === 'sqlite' ? [...onSqlite('insert'), ...onSqlite('update'), ...FTS] : ON_POSTGRES),
  ],
};

const WRITES = {
  insert: { on: 'insert on posts', when: 'new.search_mark = 0' },
  update: {
    on: 'update of title, caption, hashtags on posts',
    when: `new.search_mark = old.search_mark and
    (new.title <> old.title or coalesce(new.caption, '') <> coalesce(old.caption, '')
      or coalesce(new.hashtags, '') <> coalesce(old.hashtags, ''))`,
  },
};

const onSqlite = (write: 'insert' | 'update') => [
  `create trigger posts_unindexed_${write} after ${WRITES[write].on} for each row
    when ${WRITES[write].when}
    begin
      insert into posts_to_index (org_id, post_id) values (new.org_id, new.id);
    end`,
];

const ON_POSTGRES = [
  `create function list_post_to_index() returns trigger language plpgsql as $$
    begin
      insert into posts_to_index (org_id, post_id) values (new.org_id, new.id);
      return null;
    end $$`,
  ...(['insert', 'update'] as const).map(
    (write) => `create trigger posts_unindexed_${write} after ${WRITES[write].on} for each row
    when (${WRITES[write].when})
    execute function list_post_to_index()`,
  ),
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

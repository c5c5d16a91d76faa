// Posts, their counters, and what organizations save for writing them.
//
// Rows of an organization have (org_id, id) as their key and are referenced by both columns, so that a row cannot point into another
// organization. Posts have one index per way to list them: each list is an index scan, or a merge of a few (see
// posts/list/list.ts).
import { NIL_UUID } from '../../../core/ids.js';
import type { ColumnTypes } from '../migration.js';
import { createTriggers } from './triggers.js';

export const posts = (types: ColumnTypes): string[] => [
  ...tables(types),
  ...INDEXES,
  ...versions(types),
  ...inboxCounters(types),
];

const tables = ({ uuid, binaryText }: ColumnTypes) => [
  // A scheduled post is due at `wait_until`, or at its slot if that is null. `wait_reason` says what `last_publish_error` tells of a
  // post that waits: it is reconnected, the block ends, or the file arrives. `last_slot` is the slot that it lost without being
  // published, `title_key` the folded title that lists are sorted by (decision 0028). `labels` lists its labels for reading;
  // post_labels is the index of the filter, and the code writes both in one transaction. A cover is a slide or a moment of the
  // video; null: the platform's choice, the first.
  `create table posts (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    post_type ${binaryText} not null check (post_type in ('slides', 'video')),
    title text not null,
    caption text,
    hashtags text,
    status ${binaryText} not null check (status in ('draft', 'scheduled', 'publishing', 'posted', 'archived')),
    scheduled_at bigint,
    posted_at bigint,
    social_account_id ${uuid},
    publish_mode ${binaryText} not null default 'direct' check (publish_mode in ('direct', 'inbox')),
    publish_retries integer not null default 0,
    last_publish_error text,
    last_publish_error_code ${binaryText},
    privacy_level ${binaryText} check (privacy_level in
      ('PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY')),
    disable_comment smallint not null default 0 check (disable_comment in (0, 1)),
    disable_duet smallint not null default 0 check (disable_duet in (0, 1)),
    disable_stitch smallint not null default 0 check (disable_stitch in (0, 1)),
    brand_content_toggle smallint not null default 0 check (brand_content_toggle in (0, 1)),
    brand_organic_toggle smallint not null default 0 check (brand_organic_toggle in (0, 1)),
    created_at bigint not null,
    updated_at bigint not null,
    wait_until bigint,
    wait_reason ${binaryText} check (wait_reason in ('account', 'block', 'file')),
    version integer not null default 1,
    last_slot bigint,
    title_key ${binaryText} not null,
    labels text,
    cover_index smallint,
    cover_ms integer,
    last_outcome ${binaryText},
    primary key (org_id, id),
    foreign key (org_id, social_account_id) references social_accounts (org_id, id),
    check (status <> 'scheduled'
      or (scheduled_at is not null and social_account_id is not null and privacy_level is not null))
  )`,

  `create table post_counters (
    org_id ${uuid} not null references organizations (id),
    status ${binaryText} not null,
    post_type ${binaryText} not null,
    account_id ${uuid} not null,
    published smallint not null,
    n bigint not null,
    primary key (org_id, status, post_type, account_id, published)
  )`,

  // How many posts with last_outcome 'in_inbox' each kind has, so that no list has to count them. Triggers keep it: most posts never
  // pass them.
  `create table inbox_counters (
    org_id ${uuid} not null references organizations (id),
    status ${binaryText} not null,
    post_type ${binaryText} not null,
    account_id ${uuid} not null,
    n bigint not null,
    primary key (org_id, status, post_type, account_id)
  )`,

  `create table daily_post_counts (
    org_id ${uuid} primary key references organizations (id),
    day integer not null,
    n bigint not null
  )`,

  `create table labels (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    name text not null,
    name_key ${binaryText} not null,
    colour ${binaryText} not null,
    created_at bigint not null,
    primary key (org_id, id),
    unique (org_id, name_key)
  )`,
  // In the order of lists.
  `create table post_labels (
    org_id ${uuid} not null,
    post_id ${uuid} not null,
    label_id ${uuid} not null,
    created_at bigint not null,
    primary key (org_id, post_id, label_id),
    foreign key (org_id, post_id) references posts (org_id, id) on delete cascade,
    foreign key (org_id, label_id) references labels (org_id, id)
  )`,
  'create index post_labels_by_label on post_labels (org_id, label_id, created_at, post_id)',

  `create table snippets (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    kind ${binaryText} not null check (kind in ('caption', 'hashtags')),
    name text not null,
    name_key ${binaryText} not null,
    content text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (org_id, id),
    unique (org_id, kind, name_key)
  )`,
];

/**
 * A list of posts merges scans of each status and type, along an index that both directions use: posts without the value are
 * scanned apart. So no index names where nulls are, though the engines differ in it.
 */
const INDEXES = [
  'create index posts_by_birth on posts (org_id, created_at, id)',
  'create index posts_by_kind on posts (org_id, status, post_type, created_at, id)',
  'create index posts_by_account on posts (org_id, social_account_id, status, post_type, created_at, id)',
  'create index posts_by_title on posts (org_id, status, post_type, title_key, id)',
  'create index posts_by_posting on posts (org_id, status, post_type, posted_at, id)',
  'create index posts_by_update on posts (org_id, status, post_type, updated_at, id)',
  'create index posts_by_kind_and_slot on posts (org_id, status, post_type, scheduled_at, id)',
  'create index posts_by_slot on posts (org_id, scheduled_at, id)',
  'create index posts_by_status_and_slot on posts (org_id, status, scheduled_at, id)',
  'create index posts_by_last_slot on posts (org_id, last_slot, id) where last_slot is not null',
  'create index posts_by_outcome on posts (org_id, last_outcome, status, post_type, created_at, id) where last_outcome is not null',
  'create index posts_by_publication on posts (org_id, posted_at) where posted_at is not null',

  // The next slots of one account, and failures that are not archived: what needs attention is counted along them.
  "create index posts_by_account_and_slot on posts (org_id, social_account_id, scheduled_at, id) where status = 'scheduled'",
  "create index posts_failed on posts (org_id, created_at, id) where last_publish_error is not null and status <> 'archived'",

  // The organizations of due posts, in the order of their time and without reading a row (decision 0024); and by organization: a
  // worker that meets a long backlog jumps from one organization to the next instead of scanning all of it.
  "create index posts_due on posts (coalesce(wait_until, scheduled_at), scheduled_at, org_id) where status = 'scheduled'",
  "create index posts_due_by_organization on posts (org_id, coalesce(wait_until, scheduled_at)) where status = 'scheduled'",
];

/**
 * The version of a post's row, for its ETag, is raised by a trigger, so that no update can forget it. A statement that raises it
 * itself is left alone: on SQLite, whose trigger runs after the update, only such a statement can return the new version. No
 * response shows title_key, so a change of that column leaves the version as it is.
 */
const versions = ({ engine }: ColumnTypes) =>
  engine === 'sqlite'
    ? [
        `create trigger posts_version after update on posts
    for each row when new.version = old.version and new.title_key is old.title_key
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
        `create trigger posts_version before update on posts
    for each row when (new.version = old.version and new.title_key is not distinct from old.title_key)
    execute function raise_post_version()`,
      ];

const count = (row: 'old' | 'new', by: 1 | -1) =>
  `insert into inbox_counters (org_id, status, post_type, account_id, n)
      values (${row}.org_id, ${row}.status, ${row}.post_type, coalesce(${row}.social_account_id, '${NIL_UUID}'), ${by})
      on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;`;

const isIn = (row: 'old' | 'new') => `${row}.last_outcome = 'in_inbox'`;
const COUNTED_UPDATE = 'update of status, post_type, social_account_id, last_outcome on posts';
const IS_MOVED = `(old.status <> new.status or old.post_type <> new.post_type
      or old.social_account_id is distinct from new.social_account_id or old.last_outcome is distinct from new.last_outcome)`;

const inboxCounters = (types: ColumnTypes) =>
  createTriggers(types, { inbox_enter: count('new', 1), inbox_leave: count('old', -1) }, [
    { name: 'inbox_entered_insert', after: 'insert on posts', when: isIn('new'), action: 'inbox_enter' },
    { name: 'inbox_left_delete', after: 'delete on posts', when: isIn('old'), action: 'inbox_leave' },
    {
      name: 'inbox_left_update',
      after: COUNTED_UPDATE,
      when: `${isIn('old')} and ${IS_MOVED}`,
      action: 'inbox_leave',
    },
    {
      name: 'inbox_entered_update',
      after: COUNTED_UPDATE,
      when: `${isIn('new')} and ${IS_MOVED}`,
      action: 'inbox_enter',
    },
  ]);

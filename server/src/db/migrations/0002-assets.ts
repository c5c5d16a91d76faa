import type { Migration } from './migration.js';
// Files of posts, and objects that are marked for deletion from the store.
//
// A row is created with the upload's grant and records what became of it. A key in `condemned_objects` is marked for
// deletion and has no row in `assets`; the mark stays until the store has deleted the object.

export const assets: Migration = {
  name: 'assets',
  statements: ({ uuid, word }) => [
    `create table assets (
      org_id ${uuid} not null,
      id ${uuid} not null,
      post_id ${uuid} not null,
      kind ${word} not null check (kind in ('slide', 'video')),
      state ${word} not null check (state in ('pending', 'ready', 'rejected')),
      object_key ${word} not null unique,
      filename text not null,
      content_type ${word} not null,
      announced_length bigint,
      position integer not null,
      expires_at bigint not null,
      size bigint,
      width integer,
      height integer,
      duration_ms bigint,
      codec ${word},
      has_thumbnail smallint not null default 0 check (has_thumbnail in (0, 1)),
      looks smallint not null default 0,
      reason text,
      created_at bigint not null,
      settled_at bigint,
      primary key (org_id, id),
      foreign key (org_id, post_id) references posts (org_id, id)
    )`,
    'create index assets_by_post on assets (org_id, post_id, position, id)',
    "create unique index one_video_per_post on assets (org_id, post_id) where kind = 'video' and state = 'ready'",
    "create index assets_pending on assets (expires_at) where state = 'pending'",
    "create index assets_rejected on assets (settled_at) where state = 'rejected'",

    `create table condemned_objects (
      object_key ${word} primary key,
      org_id ${uuid} not null,
      remove_after bigint not null
    )`,
    'create index condemned_objects_by_time on condemned_objects (remove_after)',
  ],
};

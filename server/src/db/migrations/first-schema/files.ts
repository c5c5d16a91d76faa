// Files of posts, where those that Airdate fetches come from, and objects that are marked for deletion from the store.
import type { ColumnTypes } from '../migration.js';
import { createTriggers } from './triggers.js';

export const files = (types: ColumnTypes): string[] => {
  const { uuid, binaryText } = types;
  return [
    // A row is created with the upload's grant and records what became of it. `inspection_failures` is raised before the first byte
    // is read and taken back after the last, so that a file which ends its readers is rejected (decision 0047). Several processes may
    // read one file at the same time: only after a while (`inspection_began_at`) is it known that they have ended.
    // `may_change_scheduled` says whether the caller that asked for the upload may change the files of a scheduled post. `part_size`
    // and `store_upload` are of uploads in parts; null: one PUT.
    `create table assets (
    org_id ${uuid} not null,
    id ${uuid} not null,
    post_id ${uuid} not null,
    kind ${binaryText} not null check (kind in ('slide', 'video')),
    state ${binaryText} not null check (state in ('pending', 'ready', 'rejected')),
    object_key ${binaryText} not null unique,
    filename text not null,
    content_type ${binaryText} not null,
    announced_length bigint,
    position integer not null,
    expires_at bigint not null,
    size bigint,
    width integer,
    height integer,
    duration_ms bigint,
    codec ${binaryText},
    has_thumbnail smallint not null default 0 check (has_thumbnail in (0, 1)),
    inspection_failures smallint not null default 0,
    reason text,
    created_at bigint not null,
    settled_at bigint,
    may_change_scheduled integer not null default 1,
    part_size integer,
    store_upload text,
    is_fetched smallint not null default 0,
    inspection_began_at bigint,
    primary key (org_id, id),
    foreign key (org_id, post_id) references posts (org_id, id)
  )`,
    'create index assets_by_post on assets (org_id, post_id, position, id)',
    "create unique index one_video_per_post on assets (org_id, post_id) where kind = 'video' and state = 'ready'",
    "create index assets_pending on assets (expires_at) where state = 'pending'",
    "create index assets_rejected on assets (settled_at) where state = 'rejected'",
    "create index assets_fetched_in_vain on assets (org_id, post_id) where state = 'rejected' and is_fetched = 1",

    // A key here is marked for deletion and has no row in `assets`; the mark stays until the store has deleted the object.
    `create table objects_to_delete (
    object_key ${binaryText} primary key,
    org_id ${uuid} not null,
    remove_after bigint not null,
    size bigint
  )`,
    'create index objects_to_delete_by_time on objects_to_delete (remove_after)',

    // Where a pending file is fetched from (decision 0031). The row is deleted when the file has settled, and with its asset.
    // `needed_at` is the slot of its post, so that the earliest slots are fetched first; triggers on booked_slots keep it.
    `create table asset_sources (
    org_id ${uuid} not null,
    asset_id ${uuid} not null,
    url text not null,
    tries smallint not null,
    fence integer not null default 0,
    fetch_at bigint not null,
    needed_at bigint not null default ${NOT_NEEDED},
    primary key (org_id, asset_id),
    foreign key (org_id, asset_id) references assets (org_id, id) on delete cascade
  )`,
    'create index asset_sources_to_fetch on asset_sources (fetch_at)',
    'create index asset_sources_by_need on asset_sources (org_id, needed_at, asset_id)',

    // How long a file of each organization takes, for forecasts.
    `create table fetch_paces (
    org_id ${uuid} primary key,
    file_ms bigint not null
  )`,
    ...createTriggers(types, { source_added: MARK_FETCHED }, [
      { name: 'source_added', after: 'insert on asset_sources', action: 'source_added' },
    ]),
  ];
};

/** When a file is needed whose post has no slot: after all others. */
export const NOT_NEEDED = Number.MAX_SAFE_INTEGER;

/** A file that Airdate was asked to fetch belongs to its post beyond the life of its source, also once it was rejected. */
const MARK_FETCHED = `update assets set is_fetched = 1
      where org_id = new.org_id and id = new.asset_id and is_fetched = 0;`;

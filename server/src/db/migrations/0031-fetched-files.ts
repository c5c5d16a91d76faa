import type { Migration } from './migration.js';

// A file that Airdate was asked to fetch belongs to its post, also once it was rejected (decision 0031). `is_fetched` marks it beyond
// the life of its source, and `needed_at` is the slot of its post, so that the earliest slots are fetched first.
//
// Triggers keep them right whichever process writes: one of the previous version inserts sources without the columns, and a dozen
// places book, move and give up slots. What such a process imports is fetched last, because it books slots before it adds sources. `fetch_paces` says how long a file of each organization takes, for forecasts.

/** Of a file whose post has no slot: after all others. */
const NOT_NEEDED = Number.MAX_SAFE_INTEGER;

const MARK = `update assets set is_fetched = 1
      where org_id = new.org_id and id = new.asset_id and is_fetched = 0;`;
const setNeeded = (
  org: string,
  post: string,
  slot: string | number,
) => `update asset_sources set needed_at = ${slot}
      where org_id = ${org} and asset_id in
        (select id from assets where assets.org_id = ${org} and assets.post_id = ${post} and assets.state = 'pending');`;

const TRIGGERS = [
  { name: 'source_added', on: 'insert on asset_sources', act: MARK },
  {
    name: 'files_needed_insert',
    on: 'insert on booked_slots',
    act: setNeeded('new.org_id', 'new.post_id', 'new.scheduled_at'),
  },
  {
    name: 'files_needed_update',
    on: 'update of scheduled_at on booked_slots',
    when: 'old.scheduled_at <> new.scheduled_at',
    act: setNeeded('new.org_id', 'new.post_id', 'new.scheduled_at'),
  },
  {
    name: 'files_not_needed',
    on: 'delete on booked_slots',
    act: setNeeded('old.org_id', 'old.post_id', NOT_NEEDED),
  },
];

const sqliteTriggers = () =>
  TRIGGERS.map(
    ({ name, on, when, act }) =>
      `create trigger ${name} after ${on} for each row${when ? ` when ${when}` : ''} begin ${act} end`,
  );

const postgresTriggers = () =>
  TRIGGERS.flatMap(({ name, on, when, act }) => [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${act} return null; end $$`,
    `create trigger ${name} after ${on} for each row${when ? ` when (${when})` : ''} execute function ${name}()`,
  ]);

export const fetchedFiles: Migration = {
  name: 'fetched files',
  statements: ({ engine, uuid }) => [
    'alter table assets add column is_fetched smallint not null default 0',
    `update assets set is_fetched = 1
      where exists (select 1 from asset_sources where asset_sources.org_id = assets.org_id and asset_sources.asset_id = assets.id)`,
    "create index assets_fetched_in_vain on assets (org_id, post_id) where state = 'rejected' and is_fetched = 1",
    `alter table asset_sources add column needed_at bigint not null default ${NOT_NEEDED}`,
    `update asset_sources set needed_at = coalesce((select booked_slots.scheduled_at from assets join booked_slots
        on booked_slots.org_id = assets.org_id and booked_slots.post_id = assets.post_id
        where assets.org_id = asset_sources.org_id and assets.id = asset_sources.asset_id), needed_at)`,
    'create index asset_sources_by_need on asset_sources (org_id, needed_at, asset_id)',
    `create table fetch_paces (
      org_id ${uuid} primary key,
      file_ms bigint not null
    )`,
    ...(engine === 'sqlite' ? sqliteTriggers() : postgresTriggers()),
  ],
};

import type { Migration } from './migration.js';

// Booked slots: which posts have no media yet, and when a worker looks at each again before its slot.
//
// Triggers keep the rows, so that they are right whichever process writes, also one that does not know the table. A post is
// locked before its files change or its slot is booked, so a trigger sees all ready files of the post. `look_at` begins a day
// before the slot; a worker moves it on. Only the scheduled posts are read to fill the table.

const DAY_MS = 86_400_000;

const hasMedia = (org: string, post: string) =>
  `case when exists (select 1 from assets where assets.org_id = ${org} and assets.post_id = ${post} and assets.state = 'ready') then 1 else 0 end`;

const BOOK = `insert into booked_slots (org_id, post_id, scheduled_at, has_media, look_at)
      values (new.org_id, new.id, new.scheduled_at, ${hasMedia('new.org_id', 'new.id')}, new.scheduled_at - ${DAY_MS})
      on conflict (org_id, post_id) do update
        set scheduled_at = excluded.scheduled_at, has_media = excluded.has_media, look_at = excluded.look_at;`;
const GIVE_UP = 'delete from booked_slots where org_id = old.org_id and post_id = old.id;';
const GAIN =
  'update booked_slots set has_media = 1 where org_id = new.org_id and post_id = new.post_id and has_media = 0;';
const LOSE = `update booked_slots set has_media = ${hasMedia('old.org_id', 'old.post_id')}
      where org_id = old.org_id and post_id = old.post_id and has_media = 1;`;

interface Trigger {
  name: string;
  on: string;
  /** `is distinct from` is known to both engines. */
  when: string;
  act: 'book' | 'give_up' | 'gain' | 'lose';
}

const ACTS = { book: BOOK, give_up: GIVE_UP, gain: GAIN, lose: LOSE };

const TRIGGERS: Trigger[] = [
  { name: 'slot_booked_insert', on: 'insert on posts', when: "new.status = 'scheduled'", act: 'book' },
  {
    name: 'slot_booked_update',
    on: 'update of status, scheduled_at on posts',
    when: "new.status = 'scheduled' and (old.status <> 'scheduled' or old.scheduled_at is distinct from new.scheduled_at)",
    act: 'book',
  },
  {
    name: 'slot_given_up_update',
    on: 'update of status on posts',
    when: "old.status = 'scheduled' and new.status <> 'scheduled'",
    act: 'give_up',
  },
  { name: 'slot_given_up_delete', on: 'delete on posts', when: "old.status = 'scheduled'", act: 'give_up' },
  { name: 'media_gained_insert', on: 'insert on assets', when: "new.state = 'ready'", act: 'gain' },
  {
    name: 'media_gained_update',
    on: 'update of state on assets',
    when: "new.state = 'ready' and old.state <> 'ready'",
    act: 'gain',
  },
  {
    name: 'media_lost_update',
    on: 'update of state on assets',
    when: "old.state = 'ready' and new.state <> 'ready'",
    act: 'lose',
  },
  { name: 'media_lost_delete', on: 'delete on assets', when: "old.state = 'ready'", act: 'lose' },
];

const sqliteTriggers = () =>
  TRIGGERS.map(
    ({ name, on, when, act }) => `create trigger ${name} after ${on} for each row when ${when}
    begin
      ${ACTS[act]}
    end`,
  );

const postgresTriggers = () => [
  ...Object.entries(ACTS).map(
    ([act, statement]) => `create function slot_${act}() returns trigger language plpgsql as $$
    begin
      ${statement}
      return null;
    end $$`,
  ),
  ...TRIGGERS.map(
    ({ name, on, when, act }) => `create trigger ${name} after ${on} for each row when (${when})
    execute function slot_${act}()`,
  ),
];

/** The types of events are checked where they are written, so that a new one needs no change of the table. */
const anyType = (engine: 'sqlite' | 'postgres') =>
  engine === 'postgres'
    ? ['alter table events drop constraint events_type_check']
    : [
        // SQLite has no statement for it, short of copying the table; its documentation names this way. Rows are not touched.
        'pragma writable_schema = on',
        `update sqlite_schema set sql =
        substr(sql, 1, instr(sql, ' check (type in') - 1) || substr(sql, instr(sql, '''account.disconnected''))') + 24)
        where type = 'table' and name = 'events' and sql like '% check (type in%''account.disconnected'')),%'`,
        'pragma writable_schema = reset',
      ];

export const readiness: Migration = {
  name: 'readiness',
  statements: ({ engine, uuid, word }) => [
    `create table booked_slots (
      org_id ${uuid} not null,
      post_id ${uuid} not null,
      scheduled_at bigint not null,
      has_media smallint not null check (has_media in (0, 1)),
      look_at bigint,
      primary key (org_id, post_id)
    )`,
    'create index booked_slots_without_media on booked_slots (org_id, scheduled_at, post_id) where has_media = 0',
    'create index booked_slots_to_look_at on booked_slots (look_at) where look_at is not null',
    ...(engine === 'sqlite' ? sqliteTriggers() : postgresTriggers()),
    `insert into booked_slots (org_id, post_id, scheduled_at, has_media, look_at)
      select org_id, id, scheduled_at, ${hasMedia('posts.org_id', 'posts.id')}, scheduled_at - ${DAY_MS}
      from posts where status = 'scheduled'`,

    `create table told_risks (
      org_id ${uuid} not null,
      post_id ${uuid} not null,
      slot bigint not null,
      code ${word} not null,
      primary key (org_id, post_id, slot, code)
    )`,
    'create index told_risks_by_slot on told_risks (slot)',

    // The next slots of one account, and failures that are not archived: what needs attention is counted along them.
    "create index posts_by_account_and_slot on posts (org_id, social_account_id, scheduled_at, id) where status = 'scheduled'",
    "create index posts_failed on posts (org_id, created_at, id) where last_publish_error is not null and status <> 'archived'",
    'drop index posts_with_error',
    ...anyType(engine),
  ],
};

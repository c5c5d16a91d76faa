// Booked slots: which posts have no media yet, and when a worker checks each again before its slot.
//
// Triggers keep the rows: a dozen functions book, move and give up slots, and files change by themselves. A post is locked before its
// files change or its slot is booked, so a trigger sees all ready files of the post. `check_at` begins a day before the slot; a
// worker moves it on.
import type { ColumnTypes } from '../migration.js';
import { NOT_NEEDED } from './files.js';
import { createTriggers, type Trigger } from './triggers.js';

export const slots = (types: ColumnTypes): string[] => {
  const { uuid, binaryText } = types;
  return [
    `create table booked_slots (
    org_id ${uuid} not null,
    post_id ${uuid} not null,
    scheduled_at bigint not null,
    has_media smallint not null check (has_media in (0, 1)),
    check_at bigint,
    primary key (org_id, post_id)
  )`,
    'create index booked_slots_without_media on booked_slots (org_id, scheduled_at, post_id) where has_media = 0',
    'create index booked_slots_to_check on booked_slots (check_at) where check_at is not null',

    // Why a post may not go out at its slot, once it was reported; see publishing/schedule/at-risk.ts.
    `create table reported_risks (
    org_id ${uuid} not null,
    post_id ${uuid} not null,
    slot bigint not null,
    code ${binaryText} not null,
    primary key (org_id, post_id, slot, code)
  )`,
    'create index reported_risks_by_slot on reported_risks (slot)',

    ...createTriggers(types, SLOT_ACTIONS, SLOT_TRIGGERS),
    ...createTriggers(types, FILE_ACTIONS, FILE_TRIGGERS),
  ];
};

const DAY_MS = 86_400_000;

const hasMedia = (org: string, post: string) =>
  `case when exists (select 1 from assets where assets.org_id = ${org} and assets.post_id = ${post} and assets.state = 'ready') then 1 else 0 end`;

const SLOT_ACTIONS = {
  slot_book: `insert into booked_slots (org_id, post_id, scheduled_at, has_media, check_at)
      values (new.org_id, new.id, new.scheduled_at, ${hasMedia('new.org_id', 'new.id')}, new.scheduled_at - ${DAY_MS})
      on conflict (org_id, post_id) do update
        set scheduled_at = excluded.scheduled_at, has_media = excluded.has_media, check_at = excluded.check_at;`,
  slot_give_up: 'delete from booked_slots where org_id = old.org_id and post_id = old.id;',
  slot_gain:
    'update booked_slots set has_media = 1 where org_id = new.org_id and post_id = new.post_id and has_media = 0;',
  slot_lose: `update booked_slots set has_media = ${hasMedia('old.org_id', 'old.post_id')}
      where org_id = old.org_id and post_id = old.post_id and has_media = 1;`,
};

const SLOT_TRIGGERS: Trigger[] = [
  {
    name: 'slot_booked_insert',
    after: 'insert on posts',
    when: "new.status = 'scheduled'",
    action: 'slot_book',
  },
  {
    name: 'slot_booked_update',
    after: 'update of status, scheduled_at on posts',
    when: "new.status = 'scheduled' and (old.status <> 'scheduled' or old.scheduled_at is distinct from new.scheduled_at)",
    action: 'slot_book',
  },
  {
    name: 'slot_given_up_update',
    after: 'update of status on posts',
    when: "old.status = 'scheduled' and new.status <> 'scheduled'",
    action: 'slot_give_up',
  },
  {
    name: 'slot_given_up_delete',
    after: 'delete on posts',
    when: "old.status = 'scheduled'",
    action: 'slot_give_up',
  },
  {
    name: 'media_gained_insert',
    after: 'insert on assets',
    when: "new.state = 'ready'",
    action: 'slot_gain',
  },
  {
    name: 'media_gained_update',
    after: 'update of state on assets',
    when: "new.state = 'ready' and old.state <> 'ready'",
    action: 'slot_gain',
  },
  {
    name: 'media_lost_update',
    after: 'update of state on assets',
    when: "old.state = 'ready' and new.state <> 'ready'",
    action: 'slot_lose',
  },
  { name: 'media_lost_delete', after: 'delete on assets', when: "old.state = 'ready'", action: 'slot_lose' },
];

const setNeeded = (row: 'old' | 'new', slot: string | number) => `update asset_sources set needed_at = ${slot}
      where org_id = ${row}.org_id and asset_id in
        (select id from assets where assets.org_id = ${row}.org_id and assets.post_id = ${row}.post_id and assets.state = 'pending');`;

const FILE_ACTIONS = {
  files_needed_insert: setNeeded('new', 'new.scheduled_at'),
  files_needed_update: setNeeded('new', 'new.scheduled_at'),
  files_not_needed: setNeeded('old', NOT_NEEDED),
};

const FILE_TRIGGERS: Trigger[] = [
  { name: 'files_needed_insert', after: 'insert on booked_slots', action: 'files_needed_insert' },
  {
    name: 'files_needed_update',
    after: 'update of scheduled_at on booked_slots',
    when: 'old.scheduled_at <> new.scheduled_at',
    action: 'files_needed_update',
  },
  { name: 'files_not_needed', after: 'delete on booked_slots', action: 'files_not_needed' },
];

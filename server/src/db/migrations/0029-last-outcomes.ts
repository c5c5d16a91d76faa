import type { Migration } from './migration.js';

// The platform's own id of a post, and of each post the outcome of its last attempt (decision 0028).
//
// The engine writes last_outcome with the post. A trigger does it for a process that does not know the column, and finds nothing
// to do otherwise. Posts in the inbox are filled here, because screens must not call them posted; a loop of the worker fills the
// rest.
//
// inbox_counters says how many posts with last_outcome 'in_inbox' each kind has, so that no list has to count them. Triggers keep
// it: most posts never pass them.

/** As in post_counters. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

const isIn = (row: 'old' | 'new') => `${row}.last_outcome = 'in_inbox'`;
const IS_MOVED = `(old.status <> new.status or old.post_type <> new.post_type
      or old.social_account_id is distinct from new.social_account_id or old.last_outcome is distinct from new.last_outcome)`;

const count = (row: 'old' | 'new', by: 1 | -1) =>
  `insert into inbox_counters (org_id, status, post_type, account_id, n)
      values (${row}.org_id, ${row}.status, ${row}.post_type, coalesce(${row}.social_account_id, '${NO_ACCOUNT}'), ${by})
      on conflict (org_id, status, post_type, account_id) do update set n = inbox_counters.n + excluded.n;`;

const OF_COUNTED = 'status, post_type, social_account_id, last_outcome on posts';

const COUNTING = [
  { name: 'inbox_entered_insert', on: 'insert on posts', when: isIn('new'), act: 'enter' },
  { name: 'inbox_left_delete', on: 'delete on posts', when: isIn('old'), act: 'leave' },
  {
    name: 'inbox_left_update',
    on: `update of ${OF_COUNTED}`,
    when: `${isIn('old')} and ${IS_MOVED}`,
    act: 'leave',
  },
  {
    name: 'inbox_entered_update',
    on: `update of ${OF_COUNTED}`,
    when: `${isIn('new')} and ${IS_MOVED}`,
    act: 'enter',
  },
] as const;

const ACTS = { enter: count('new', 1), leave: count('old', -1) };

const COPY = `update posts set last_outcome = new.outcome
      where org_id = new.org_id and id = new.post_id and last_outcome is distinct from new.outcome
        and not exists (select 1 from dispatches as newer
          where newer.org_id = new.org_id and newer.post_id = new.post_id and newer.attempt > new.attempt);`;

const COPYING = [
  { name: 'last_outcome_insert', on: 'insert on dispatches' },
  { name: 'last_outcome_update', on: 'update of outcome on dispatches' },
] as const;

const sqliteTriggers = () => [
  ...COUNTING.map(
    ({ name, on, when, act }) => `create trigger ${name} after ${on} for each row when ${when}
    begin
      ${ACTS[act]}
    end`,
  ),
  ...COPYING.map(
    ({ name, on }) => `create trigger ${name} after ${on} for each row
    begin
      ${COPY}
    end`,
  ),
];

const postgresFunction = (name: string, statement: string) =>
  `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${statement}
      return null;
    end $$`;

const postgresTriggers = () => [
  postgresFunction('inbox_enter', ACTS.enter),
  postgresFunction('inbox_leave', ACTS.leave),
  postgresFunction('copy_last_outcome', COPY),
  ...COUNTING.map(
    ({ name, on, when, act }) =>
      `create trigger ${name} after ${on} for each row when (${when}) execute function inbox_${act}()`,
  ),
  ...COPYING.map(
    ({ name, on }) => `create trigger ${name} after ${on} for each row execute function copy_last_outcome()`,
  ),
];

export const lastOutcomes: Migration = {
  name: 'last outcomes',
  statements: ({ engine, uuid, word }) => [
    `alter table dispatches add column platform_post_id ${word}`,
    `alter table posts add column last_outcome ${word}`,
    'create index posts_by_outcome on posts (org_id, last_outcome, status, post_type, created_at, id) where last_outcome is not null',

    `create table inbox_counters (
      org_id ${uuid} not null references organizations (id),
      status ${word} not null,
      post_type ${word} not null,
      account_id ${uuid} not null,
      n bigint not null,
      primary key (org_id, status, post_type, account_id)
    )`,
    ...(engine === 'sqlite' ? sqliteTriggers() : postgresTriggers()),

    `update posts set last_outcome = 'in_inbox' where (org_id, id) in (
      select org_id, post_id from dispatches where outcome = 'in_inbox' and not exists (
        select 1 from dispatches as newer where newer.org_id = dispatches.org_id
          and newer.post_id = dispatches.post_id and newer.attempt > dispatches.attempt))`,
    `create table organizations_without_outcomes (
      org_id ${uuid} primary key references organizations (id),
      created_at bigint not null,
      post_id ${uuid} not null,
      batches integer not null
    )`,
    `insert into organizations_without_outcomes (org_id, created_at, post_id, batches)
      select id, -1, '00000000-0000-0000-0000-000000000000', 0 from organizations`,
  ],
};

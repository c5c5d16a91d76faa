// Events in commit order, and webhooks: the endpoints of an organization, what is to be sent to each, and what became of it
// (decision 0029).
import type { ColumnTypes } from '../migration.js';
import { createTriggers } from './triggers.js';

export const events = (types: ColumnTypes): string[] => [
  ...eventTables(types),
  ...webhookTables(types),
  ...createTriggers(types, { keep_previous_secret: KEEP_PREVIOUS_SECRET }, [
    {
      name: 'webhook_secret_replaced',
      after: 'update of previous_secret on webhook_endpoints',
      when: IS_ROTATION,
      action: 'keep_previous_secret',
    },
  ]),
];

const eventTables = ({ engine, uuid, binaryText }: ColumnTypes) => [
  // Types are checked where events are written, so that a new one needs no change of the table.
  `create table events (
    org_id ${uuid} not null references organizations (id),
    seq bigint not null,
    type ${binaryText} not null,
    data text not null,
    created_at bigint not null,
    primary key (org_id, seq)
  )`,
  'create index events_by_age on events (created_at)',

  `create table event_counters (
    org_id ${uuid} primary key references organizations (id),
    last bigint not null
  )`,
  ...(engine === 'sqlite' ? [COUNT_EVENTS] : []),

  // Keep event ids unique across a restore; see restore-safety/.
  `create table event_epochs (
    org_id ${uuid} not null references organizations (id),
    epoch bigint not null,
    after_seq bigint not null,
    primary key (org_id, epoch)
  )`,

  `create table revisions (
    org_id ${uuid} primary key references organizations (id),
    n bigint not null
  )`,
];

/** An event is one statement then, which is cheaper than two. A row that was counted before changes nothing. */
const COUNT_EVENTS = `create trigger events_counted after insert on events for each row
    begin
      insert into event_counters (org_id, last) values (new.org_id, new.seq)
        on conflict (org_id) do update set last = excluded.last where excluded.last > event_counters.last;
    end`;

const webhookTables = ({ uuid, binaryText }: ColumnTypes) => [
  // Which key an endpoint was made, moved or enabled with, so that it ends with that key; null: a person did it. `key_ended_at`
  // equals `disabled_at` if the end of its key disabled it.
  `create table webhook_endpoints (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    url text not null,
    description text,
    types text,
    secret text not null,
    previous_secret text,
    previous_until bigint,
    enabled smallint not null check (enabled in (0, 1)),
    disabled_reason ${binaryText} check (disabled_reason in ('gone', 'failing')),
    disabled_at bigint,
    cursor_seq bigint not null,
    failing_since bigint,
    failures bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    made_with ${uuid},
    key_ended_at bigint,
    primary key (org_id, id)
  )`,
  'create index webhook_endpoints_by_key on webhook_endpoints (org_id, made_with) where made_with is not null and enabled = 1',

  // Secrets that were replaced more than once within a day: each signs for as long as it was promised. The newest replaced one stays
  // in the endpoint's row, and a trigger keeps those before it.
  `create table webhook_previous_secrets (
    org_id ${uuid} not null,
    endpoint_id ${uuid} not null,
    n bigint not null,
    secret text not null,
    valid_until bigint not null,
    primary key (org_id, endpoint_id, n),
    foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id) on delete cascade
  )`,

  // Deliveries do not refer to their endpoint: deleting one must not wait for them. Those without one are never sent, and expire.
  `create table webhook_deliveries (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    endpoint_id ${uuid} not null,
    message_id ${binaryText} not null,
    event_id ${binaryText} not null,
    event_seq bigint not null,
    type ${binaryText} not null,
    subject ${binaryText} not null,
    body text not null,
    state ${binaryText} not null check (state in ('pending', 'delivered', 'failed')),
    attempts bigint not null,
    tries bigint not null,
    next_at bigint,
    lease_until bigint,
    fence bigint not null,
    created_at bigint not null,
    settled_at bigint,
    primary key (org_id, id),
    unique (org_id, endpoint_id, message_id)
  )`,
  // The oldest that is due, of each endpoint; `next_at` is null while an earlier one of the same subject is pending.
  `create index webhook_deliveries_due on webhook_deliveries (org_id, endpoint_id, next_at)
    where state = 'pending' and next_at is not null`,
  `create index webhook_deliveries_queued on webhook_deliveries (org_id, endpoint_id, subject, event_seq)
    where state = 'pending'`,
  'create index webhook_deliveries_by_endpoint on webhook_deliveries (org_id, endpoint_id, id)',
  'create index webhook_deliveries_by_age on webhook_deliveries (created_at)',

  `create table webhook_attempts (
    org_id ${uuid} not null,
    delivery_id ${uuid} not null,
    n bigint not null,
    at bigint not null,
    ms bigint not null,
    status bigint,
    error text,
    response text,
    primary key (org_id, delivery_id, n)
  )`,
];

/** A rotation moves the secret to `previous_secret` as it is; sealing both again changes the text. */
const IS_ROTATION =
  'old.previous_secret is not null and old.previous_until is not null and new.previous_secret = old.secret';

const KEEP_PREVIOUS_SECRET = `insert into webhook_previous_secrets (org_id, endpoint_id, n, secret, valid_until)
        select old.org_id, old.id, coalesce(max(n), 0) + 1, old.previous_secret, old.previous_until
        from webhook_previous_secrets where org_id = old.org_id and endpoint_id = old.id;`;

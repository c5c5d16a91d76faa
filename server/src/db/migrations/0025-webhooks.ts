import type { Migration } from './migration.js';

// Webhooks: the endpoints of an organization, what is to be sent to each, and what became of it (decision 0029).
//
// Deliveries do not refer to their endpoint: deleting one must not wait for them. Those without one are never sent, and expire.

/** An event is one statement then, which is cheaper than two. A row that was counted before changes nothing. */
const COUNT_EVENTS = `create trigger events_counted after insert on events for each row
    begin
      insert into event_counters (org_id, last) values (new.org_id, new.seq)
        on conflict (org_id) do update set last = excluded.last where excluded.last > event_counters.last;
    end`;

export const webhooks: Migration = {
  name: 'webhooks',
  statements: ({ engine, uuid, word }) => [
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
      disabled_reason ${word} check (disabled_reason in ('gone', 'failing')),
      disabled_at bigint,
      cursor_seq bigint not null,
      failing_since bigint,
      failures bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, id)
    )`,

    `create table webhook_deliveries (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      endpoint_id ${uuid} not null,
      message_id ${word} not null,
      event_id ${word} not null,
      event_seq bigint not null,
      type ${word} not null,
      subject ${word} not null,
      body text not null,
      state ${word} not null check (state in ('pending', 'delivered', 'failed')),
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
    `create index webhook_deliveries_in_line on webhook_deliveries (org_id, endpoint_id, subject, event_seq)
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
    ...(engine === 'sqlite' ? [COUNT_EVENTS] : []),
  ],
};

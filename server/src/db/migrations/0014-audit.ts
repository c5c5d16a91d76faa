import type { Migration } from './migration.js';
// The audit log: who did what, to what, and from where. Ids hold the time, so the order of ids is the order of the log, and
// each index ends with the id. A row without an organization is of the installation. `minute` is set only on failed sign-ins:
// one row holds those of a person, an address and a minute, and `n` counts them.
//
// A pending consent keeps who began it: its end is a request of the platform's page, which says nothing about that.

export const audit: Migration = {
  name: 'audit',
  statements: ({ uuid, word }) => [
    `create table audit (
      id ${uuid} primary key,
      org_id ${uuid} references organizations (id),
      at bigint not null,
      actor_kind ${word} not null check (actor_kind in ('person', 'key', 'operator', 'platform', 'system')),
      actor_id ${uuid},
      actor_name text not null,
      address text,
      action ${word} not null,
      target_kind ${word} not null,
      target_id ${uuid},
      target_name text,
      details text,
      minute bigint,
      n integer not null default 1
    )`,
    'create index audit_by_organization on audit (org_id, id)',
    'create index audit_by_action on audit (org_id, action, id)',
    'create index audit_by_actor_kind on audit (org_id, actor_kind, id)',
    'create index audit_by_actor on audit (org_id, actor_id, id) where actor_id is not null',
    'create index audit_by_target on audit (org_id, target_id, id) where target_id is not null',
    `create unique index audit_failed_sign_ins on audit (org_id, target_id, address, minute)
      where minute is not null`,
    'alter table oauth_states add column begun_by text',
  ],
};

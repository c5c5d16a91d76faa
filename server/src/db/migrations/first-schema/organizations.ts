// Organizations, who may call in their name, and the audit log.
//
// A person belongs to one organization, so the role stands in the person's own row and authorization is one lookup. Only hashes
// of keys, sessions and links are stored.
import type { ColumnTypes } from '../migration.js';

export const organizations = ({ uuid, binaryText }: ColumnTypes): string[] => [
  `create table organizations (
    id ${uuid} primary key,
    name text not null,
    plan ${binaryText} not null check (plan in ('starter', 'growth', 'agency', 'api_only')),
    trial_ends_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    quotas text,
    second_factor ${binaryText} not null default 'optional' check (second_factor in ('optional', 'required'))
  )`,

  // Who made a key, and with which key: it ends with both. Null: the operator made it, or (made_with) a person. No foreign key: a
  // revoked key keeps its row when its maker's row is deleted. The lookup of a key checks that its maker still exists.
  `create table api_keys (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    name text not null,
    hash ${binaryText} not null unique,
    prefix text not null,
    scopes text not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    created_at bigint not null,
    created_by ${uuid},
    made_with ${uuid},
    networks text,
    last_used_network text,
    primary key (org_id, id)
  )`,
  'create index api_keys_by_maker on api_keys (org_id, created_by) where created_by is not null',
  'create index api_keys_by_key on api_keys (org_id, made_with) where made_with is not null',
  'create index api_keys_in_use on api_keys (org_id, expires_at) where revoked_at is null',

  `create table people (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    name text not null,
    email ${binaryText} not null unique,
    role ${binaryText} not null check (role in ('owner', 'admin', 'editor', 'viewer')),
    password_hash text,
    last_seen_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    time_format ${binaryText} check (time_format in ('12h', '24h')),
    email_verified_at bigint,
    primary key (org_id, id)
  )`,

  // `ends_at` is the earlier of a session's idle and absolute ends; recording a use moves it.
  `create table sessions (
    org_id ${uuid} not null,
    id ${uuid} not null,
    person_id ${uuid} not null,
    hash ${binaryText} not null unique,
    user_agent text,
    ip text,
    created_at bigint not null,
    seen_at bigint not null,
    ends_at bigint not null,
    proof ${binaryText} check (proof in ('password', 'factor', 'link')),
    proved_at bigint,
    primary key (org_id, id),
    foreign key (org_id, person_id) references people (org_id, id)
  )`,
  'create index sessions_by_person on sessions (org_id, person_id)',
  'create index sessions_by_end on sessions (ends_at)',

  // Which key an invitation was made with, so that it ends with that key. Null: a person made it.
  `create table invitations (
    org_id ${uuid} not null references organizations (id),
    id ${uuid} not null,
    hash ${binaryText} not null unique,
    email ${binaryText},
    role ${binaryText} not null check (role in ('owner', 'admin', 'editor', 'viewer')),
    invited_by ${uuid},
    created_at bigint not null,
    expires_at bigint not null,
    made_with ${uuid},
    primary key (org_id, id),
    foreign key (org_id, invited_by) references people (org_id, id)
  )`,
  'create index invitations_by_person on invitations (org_id, invited_by) where invited_by is not null',
  'create index invitations_by_age on invitations (expires_at)',
  'create index invitations_by_key on invitations (org_id, made_with) where made_with is not null',

  // A link for one person: to sign in, to set a new password, or to verify the email. `made_by` is the member who
  // asked for it, who may be the person; null: the operator, or the service.
  `create table person_links (
    hash ${binaryText} primary key,
    org_id ${uuid} not null,
    person_id ${uuid} not null,
    purpose ${binaryText} not null check (purpose in ('enter', 'reset', 'verify')),
    made_by ${uuid},
    created_at bigint not null,
    expires_at bigint not null,
    foreign key (org_id, person_id) references people (org_id, id)
  )`,
  'create index person_links_by_person on person_links (org_id, person_id)',
  'create index person_links_by_age on person_links (expires_at)',

  // Authenticator apps. One without confirmed_at is being enrolled, and asked for by nothing. The time step of the last accepted code
  // keeps a code from being used twice.
  `create table person_factors (
    org_id ${uuid} not null,
    id ${uuid} not null,
    person_id ${uuid} not null,
    kind ${binaryText} not null check (kind in ('totp')),
    name text not null,
    secret text not null,
    last_step bigint not null,
    created_at bigint not null,
    confirmed_at bigint,
    last_used_at bigint,
    primary key (org_id, id),
    foreign key (org_id, person_id) references people (org_id, id)
  )`,
  'create index person_factors_by_person on person_factors (org_id, person_id)',

  `create table recovery_codes (
    hash ${binaryText} primary key,
    org_id ${uuid} not null,
    person_id ${uuid} not null,
    used_at bigint,
    foreign key (org_id, person_id) references people (org_id, id)
  )`,
  'create index recovery_codes_by_person on recovery_codes (org_id, person_id)',

  // Between the password and the code. `password_mark` tells whether the password has changed since.
  `create table sign_in_tickets (
    hash ${binaryText} primary key,
    org_id ${uuid} not null,
    person_id ${uuid} not null,
    password_mark ${binaryText} not null,
    tries integer not null,
    expires_at bigint not null,
    foreign key (org_id, person_id) references people (org_id, id)
  )`,
  'create index sign_in_tickets_by_person on sign_in_tickets (org_id, person_id)',
  'create index sign_in_tickets_by_age on sign_in_tickets (expires_at)',

  // Wrong codes of a person in the hour that begins at `since`, over all tickets and processes.
  `create table wrong_codes (
    org_id ${uuid} not null,
    person_id ${uuid} not null,
    kind ${binaryText} not null check (kind in ('totp', 'recovery')),
    since bigint not null,
    n integer not null,
    primary key (org_id, person_id, kind),
    foreign key (org_id, person_id) references people (org_id, id)
  )`,

  // Where a person has signed in from: guesses from elsewhere must not delay them there.
  `create table person_networks (
    org_id ${uuid} not null,
    person_id ${uuid} not null,
    network ${binaryText} not null,
    seen_at bigint not null,
    primary key (org_id, person_id, network),
    foreign key (org_id, person_id) references people (org_id, id)
  )`,
  'create index person_networks_by_age on person_networks (seen_at)',

  // Ids hold the time, so the order of ids is the order of the log, and each index ends with the id. A row without an organization
  // is of the installation. `minute` is set only on failed sign-ins: one row holds those of a person, an address and a minute, and
  // `n` counts them.
  `create table audit (
    id ${uuid} primary key,
    org_id ${uuid} references organizations (id),
    at bigint not null,
    actor_kind ${binaryText} not null check (actor_kind in ('person', 'key', 'operator', 'platform', 'system')),
    actor_id ${uuid},
    actor_name text not null,
    address text,
    action ${binaryText} not null,
    target_kind ${binaryText} not null,
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
  'create unique index audit_failed_sign_ins on audit (org_id, target_id, address, minute) where minute is not null',
];

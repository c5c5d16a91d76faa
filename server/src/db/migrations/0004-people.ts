import type { Migration } from './migration.js';
// People, their sessions, and the two kinds of sign-in links: invitations and entry links.
//
// A person belongs to one organization, so the role stands in the person's own row and authorization is one lookup. Only
// hashes of sessions and links are stored. `ends_at` is the earlier of a session's idle and absolute ends; recording a use
// moves it.

export const people: Migration = {
  name: 'people',
  statements: ({ uuid, word }) => [
    `create table people (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      name text not null,
      email ${word} not null unique,
      role ${word} not null check (role in ('owner', 'admin', 'editor', 'viewer')),
      password_hash text,
      last_seen_at bigint,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, id)
    )`,

    `create table sessions (
      org_id ${uuid} not null,
      id ${uuid} not null,
      person_id ${uuid} not null,
      hash ${word} not null unique,
      user_agent text,
      ip text,
      created_at bigint not null,
      seen_at bigint not null,
      ends_at bigint not null,
      primary key (org_id, id),
      foreign key (org_id, person_id) references people (org_id, id)
    )`,
    'create index sessions_by_person on sessions (org_id, person_id)',
    'create index sessions_by_end on sessions (ends_at)',

    `create table invitations (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      hash ${word} not null unique,
      email ${word},
      role ${word} not null check (role in ('owner', 'admin', 'editor', 'viewer')),
      invited_by ${uuid},
      created_at bigint not null,
      expires_at bigint not null,
      primary key (org_id, id),
      foreign key (org_id, invited_by) references people (org_id, id)
    )`,
    'create index invitations_by_person on invitations (org_id, invited_by) where invited_by is not null',
    'create index invitations_by_age on invitations (expires_at)',

    `create table entry_links (
      hash ${word} primary key,
      org_id ${uuid} not null,
      person_id ${uuid} not null,
      expires_at bigint not null,
      foreign key (org_id, person_id) references people (org_id, id)
    )`,
    'create index entry_links_by_person on entry_links (org_id, person_id)',
    'create index entry_links_by_age on entry_links (expires_at)',

    `alter table oauth_states add column session_id ${uuid}`,
  ],
};

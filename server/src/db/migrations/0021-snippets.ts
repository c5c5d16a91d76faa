import type { Migration } from './migration.js';
// Saved captions and groups of hashtags (decision 0028).

export const snippets: Migration = {
  name: 'snippets',
  statements: ({ uuid, word }) => [
    `create table snippets (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      kind ${word} not null check (kind in ('caption', 'hashtags')),
      name text not null,
      name_key ${word} not null,
      content text not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, id),
      unique (org_id, kind, name_key)
    )`,
  ],
};

import type { Migration } from './migration.js';
// Labels of an organization, and which posts have them (decision 0028).
//
// A post's own column lists its labels for reading; post_labels is the index of the filter, in the order of lists. The
// code writes both in one transaction. The column has no default, so no table is rewritten.

export const labels: Migration = {
  name: 'labels',
  statements: ({ uuid, word }) => [
    `create table labels (
      org_id ${uuid} not null references organizations (id),
      id ${uuid} not null,
      name text not null,
      name_key ${word} not null,
      colour ${word} not null,
      created_at bigint not null,
      primary key (org_id, id),
      unique (org_id, name_key)
    )`,

    `create table post_labels (
      org_id ${uuid} not null,
      post_id ${uuid} not null,
      label_id ${uuid} not null,
      created_at bigint not null,
      primary key (org_id, post_id, label_id),
      foreign key (org_id, post_id) references posts (org_id, id) on delete cascade,
      foreign key (org_id, label_id) references labels (org_id, id)
    )`,
    'create index post_labels_by_label on post_labels (org_id, label_id, created_at, post_id)',

    'alter table posts add column labels text',
  ],
};

import type { Migration } from './migration.js';

// Where a pending file is fetched from (decision 0031). The row is deleted when the file has settled, and with its asset.

export const importing: Migration = {
  name: 'import',
  statements: ({ uuid }) => [
    `create table asset_sources (
      org_id ${uuid} not null,
      asset_id ${uuid} not null,
      url text not null,
      tries smallint not null,
      fetch_at bigint not null,
      primary key (org_id, asset_id),
      foreign key (org_id, asset_id) references assets (org_id, id) on delete cascade
    )`,
    'create index asset_sources_to_fetch on asset_sources (fetch_at)',
  ],
};

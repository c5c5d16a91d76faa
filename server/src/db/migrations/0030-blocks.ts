import type { Migration } from './migration.js';

// What the platform blocks: an account, until when and why; and everything on a platform, if the app has reached its own cap
// (docs/internals/publishing.md). The probe is the attempt that goes first afterwards, whichever organization it belongs to.

export const blocks: Migration = {
  name: 'blocks',
  statements: ({ uuid, word }) => [
    'alter table social_accounts add column blocked_until bigint',
    'alter table social_accounts add column block_reason text',
    `create table platform_blocks (
      platform ${word} not null primary key,
      blocked_until bigint not null,
      reason text not null,
      probe_org_id ${uuid},
      probe_id ${uuid}
    )`,
  ],
};

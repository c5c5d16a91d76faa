import type { Migration } from './migration.js';
// Accounts, attempts and pending consents name their platform; every row so far is of the first one. The same person may
// have an account on each platform. An attempt keeps what a lost answer to its submit is cleared up with.

export const platforms: Migration = {
  name: 'platforms',
  statements: ({ word }) => [
    `alter table social_accounts add column platform ${word} not null default 'tiktok'`,
    `alter table oauth_states add column platform ${word} not null default 'tiktok'`,
    `alter table dispatches add column platform ${word} not null default 'tiktok'`,
    'alter table dispatches add column memo text',
    'drop index one_account_per_person',
    'create unique index one_account_per_person on social_accounts (org_id, platform, open_id) where open_id is not null',
  ],
};

import type { Migration } from './migration.js';

// Distinguishes two raises of the installation's counter to the same number: by a database that lost commits in a failover, and
// by the one that had made them (decision 0016).

export const noteTags: Migration = {
  name: 'note tags',
  statements: () => ["alter table installation add column recent_tags text not null default ''"],
};

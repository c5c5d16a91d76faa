import type { Migration } from './migration.js';

// The organizations of due work, in the order of its time and without reading a row (decision 0024). The indexes by time had no
// organization, so finding out who has due work meant to probe every organization that has planned some.

export const dueNames: Migration = {
  name: 'due names',
  statements: () => [
    'drop index posts_due',
    `create index posts_due on posts (coalesce(wait_until, scheduled_at), scheduled_at, org_id) where status = 'scheduled'`,
    'drop index dispatches_next',
    'create index dispatches_next on dispatches (next_at, phase, org_id) where next_at is not null',
  ],
};

import type { Migration } from './migration.js';

// Lists of attempts by account and trigger, and more orders of posts (decision 0028).

export const moreOrders: Migration = {
  name: 'more orders',
  statements: () => [
    'drop index dispatches_by_account',
    'create index dispatches_by_account on dispatches (org_id, social_account_id, started_at, id)',
    'create index dispatches_by_trigger on dispatches (org_id, trigger_kind, started_at, id)',
  ],
};

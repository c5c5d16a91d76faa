import type { Migration } from './migration.js';

// Lists of attempts by account and trigger, and more orders of posts (decision 0028).
//
// A list of posts merges scans of each status and type, along an index that both directions use: posts without the value are
// scanned apart. So no index names where nulls are.

export const moreOrders: Migration = {
  name: 'more orders',
  statements: ({ engine }) => [
    'create index posts_by_update on posts (org_id, status, post_type, updated_at, id)',
    'create index posts_by_kind_and_slot on posts (org_id, status, post_type, scheduled_at, id)',
    ...(engine === 'postgres'
      ? [
          'drop index posts_by_posting',
          'create index posts_by_posting on posts (org_id, status, post_type, posted_at, id)',
        ]
      : []),

    'drop index dispatches_by_account',
    'create index dispatches_by_account on dispatches (org_id, social_account_id, started_at, id)',
    'create index dispatches_by_trigger on dispatches (org_id, trigger_kind, started_at, id)',
  ],
};

import type { Migration } from './migration.js';
// Planned posts and open attempts by organization: a worker that meets a long backlog jumps from one organization to the
// next instead of scanning all of it.

export const dueByOrganization: Migration = {
  name: 'due by organization',
  statements: () => [
    "create index posts_due_by_organization on posts (org_id, coalesce(wait_until, scheduled_at)) where status = 'scheduled'",
    'create index dispatches_next_by_organization on dispatches (phase, org_id, next_at) where next_at is not null',
  ],
};

import type { Migration } from './migration.js';
// Attempts by error code, newest first.

export const reasons: Migration = {
  name: 'reasons',
  statements: () => [
    'create index dispatches_by_reason on dispatches (org_id, error_code, started_at, id) where error_code is not null',
  ],
};

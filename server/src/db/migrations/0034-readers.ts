import type { Migration } from './migration.js';

// When a process last began to read an uploaded file. It is counted in `looks` before it reads the first byte, so that a file which
// ends its readers is rejected (decision 0047). Several processes may read one file at the same time: only after a while is it known
// that they have ended.

export const readers: Migration = {
  name: 'readers',
  statements: () => [
    'alter table assets add column looked_at bigint',
    // Until now, `looks` counted failures of any kind.
    'update assets set looks = 0 where looks > 0',
  ],
};

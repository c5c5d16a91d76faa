// The schema of the first release, by subject; tables that others refer to come first. What the columns mean is said with their types,
// in db/tables.ts. Reading it as one text of one engine: db/schema.sqlite.sql and db/schema.postgres.sql.
import { accounts } from './first-schema/accounts.js';
import { events } from './first-schema/events.js';
import { files } from './first-schema/files.js';
import { installation } from './first-schema/installation.js';
import { organizations } from './first-schema/organizations.js';
import { posts } from './first-schema/posts.js';
import { publishing } from './first-schema/publishing.js';
import { search } from './first-schema/search.js';
import { slots } from './first-schema/slots.js';
import { storedBytes } from './first-schema/stored-bytes.js';
import type { Migration } from './migration.js';

const SUBJECTS = [
  installation,
  organizations,
  accounts,
  posts,
  search,
  files,
  slots,
  publishing,
  events,
  storedBytes,
];

export const firstSchema: Migration = {
  name: 'first schema',
  breaksOlder: true,
  statements: (types) => SUBJECTS.flatMap((subject) => subject(types)),
};

// Append only: a released migration is never changed or removed. The first schema is not released yet.
import { firstSchema } from './0001-first-schema.js';
import type { Migration } from './migration.js';

export const migrations: readonly Migration[] = [firstSchema];

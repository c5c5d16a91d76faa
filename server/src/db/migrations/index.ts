// Append only: a released migration never changes, and never leaves.
import type { Migration } from '../migrate.js';
import { foundation } from './0001-foundation.js';

export const migrations: readonly Migration[] = [foundation];

// The recipes of the guides: which headings are followed one after another to run Airdate, back it up and restore it.
import type { Engine } from '../../support/databases/fresh-databases.js';

export const HOSTING = 'docs/guides/self-hosting.md';
export const BACKUP = 'docs/guides/backup.md';
/** Their samples build on each other across pages, so recipes.test.ts runs them instead of guides.test.ts. */
export const FOLLOWED_BY_RECIPES = [HOSTING, BACKUP];

export const START = 'Start the API and a worker';
const TRIAL = [
  'Start the sandbox',
  START,
  'Organizations and keys',
  'Sign in to the dashboard',
  'A first scheduled carousel',
];
export const RECIPES: Record<Engine | 'bucket', string[]> = {
  sqlite: ['Several processes', ...TRIAL],
  postgres: ['Several processes', 'On Postgres', ...TRIAL],
  bucket: ['Several processes', 'On Postgres', 'Files in a bucket', ...TRIAL],
};
export const MAKE_BACKUP = 'Make a backup';
export const RESTORES: Record<Engine, string> = { sqlite: 'Into SQLite', postgres: 'Into Postgres' };
export const STOP = 'Stop every process';
export const RELEASE = 'After a restore';

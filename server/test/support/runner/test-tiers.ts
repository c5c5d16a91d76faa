// The three ways to choose what runs: on which engines (onEngines), how much of it (everyday), and whether at all on ordinary
// days (itInProofs). The proofs (npm run test:proof) run everything. `run.js --tiers` lists what they add.
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ENGINES, type Engine } from '../databases/fresh-databases.js';

const EVERYTHING = process.env.AIRDATE_TEST_EVERYTHING !== undefined;

/**
 * Defines tests on a database: once for each engine (`both`) if they depend on it, else on the one named here. That is SQLite, which
 * takes less CPU time, unless Postgres does in another way what they test: its locks, connections, statements of their own, and text
 * that it refuses. In the proofs on both. TEST_ENGINE overrules all that.
 */
export function onEngines(where: Engine | 'both', title: string, define: (engine: Engine) => void): void {
  const engines = where === 'both' || ENGINES.length === 1 ? ENGINES : everyday([where], ENGINES);
  for (const engine of engines) describe(`${title} (${engine})`, () => define(engine));
}

/**
 * A number, a list or anything else that is smaller on ordinary days than in the proofs. Given how many of the cases are enough
 * and what they are cases of, it chooses them by the hash of that name: each name has its own, and keeps them when others come.
 */
export function everyday<T>(few: number, all: readonly T[], of: string): readonly T[];
export function everyday<T>(few: readonly T[], all: readonly T[]): readonly T[];
export function everyday<T>(few: T, all: T): T;
export function everyday<T>(few: number | T, all: readonly T[] | T, of?: string): readonly T[] | T {
  if (EVERYTHING) return all;
  return of === undefined ? (few as T) : chosen(few as number, all as readonly T[], of);
}

function chosen<T>(few: number, all: readonly T[], of: string): T[] {
  const rank = (n: number) => createHash('sha256').update(`${of} ${n}`).digest('hex');
  const indexes = [...all.keys()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, few);
  return all.filter((_one, n) => indexes.includes(n));
}

/** A test that other tests stand in for on ordinary days. */
export const itInProofs: (title: string, run: () => Promise<void>) => void = everyday(() => {}, it);

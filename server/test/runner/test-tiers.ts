// What the everyday tests leave to the proofs (npm run test:proof), which leave out nothing. docs/internals/tests.md says why.
import { it } from 'node:test';

/** The proofs are running. */
export const EVERYTHING = process.env.AIRDATE_TEST_EVERYTHING !== undefined;

/** A test that other tests stand in for on ordinary days: it runs in the proofs only. */
export const itInProofs: (title: string, run: () => Promise<void>) => void = EVERYTHING ? it : () => {};

/**
 * The same tests in several places: on ordinary days each test runs in one of them, by turns, in the proofs in all.
 */
export function inTurn(place: number, places: number): (title: string, run: () => Promise<void>) => void {
  let n = 0;
  return (title, run) => {
    if (EVERYTHING || n++ % places === place) it(title, run);
  };
}

/**
 * Tests of two kinds for each case, by turns: on ordinary days each case has one of them, in the proofs both.
 */
export function alternately(kinds: number): (kind: number, title: string, run: () => Promise<void>) => void {
  let n = 0;
  return (kind, title, run) => {
    if (EVERYTHING || Math.floor(n++ / kinds) % kinds === kind) it(title, run);
  };
}

/**
 * Deals cases out, a few each time, so that all of them come up in the course of a run. In the proofs, all each time.
 * The order is always the same, so that a failure can be repeated.
 */
export function dealer(few: number): <T>(cases: readonly T[]) => T[] {
  let next = 0;
  return (cases) =>
    EVERYTHING || cases.length <= few
      ? [...cases]
      : Array.from({ length: few }, () => cases[next++ % cases.length] as (typeof cases)[number]);
}

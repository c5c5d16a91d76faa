// A database that hangs in the middle of 200 due posts: for a moment, for longer than a lease, for longer than a query may
// take. In real time, on one process with a worker; no process is killed, so every outcome can be known.
// STALLS="commit for 60 s" runs only the cells whose title has this text.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../support/databases/fresh-databases.js';
import { prepareStall, type StallCell } from './processes/stalled-service.js';

const SHORT_LEASE = 5;
const DEFAULT_LEASE = 60;

const cell = (engine: Engine, kind: StallCell['kind'], seconds: number, leaseSeconds: number): StallCell => ({
  engine,
  kind,
  seconds,
  leaseSeconds,
});

/** A short lease ends in the middle of the longer stalls; the default one ends with the longest. */
const CELLS: StallCell[] = [
  ...(['time', 'commit', 'everything'] as const).flatMap((kind) => [
    cell('postgres', kind, 1, DEFAULT_LEASE),
    cell('postgres', kind, 10, SHORT_LEASE),
    cell('postgres', kind, 60, SHORT_LEASE),
  ]),
  cell('postgres', 'commit', 60, DEFAULT_LEASE),
  cell('postgres', 'everything', 60, DEFAULT_LEASE),
  // Here the time cannot stall, and a process with the write lock stalls every commit.
  cell('sqlite', 'write lock', 1, DEFAULT_LEASE),
  cell('sqlite', 'write lock', 10, SHORT_LEASE),
  cell('sqlite', 'write lock', 60, SHORT_LEASE),
  cell('sqlite', 'write lock', 60, DEFAULT_LEASE),
];

const titleOf = ({ engine, kind, seconds, leaseSeconds }: StallCell) =>
  `${engine}: ${kind} for ${seconds} s with a lease of ${leaseSeconds} s`;

const chosen = CELLS.filter((one) => titleOf(one).includes(process.env.STALLS ?? ''));

describe('200 posts are due while the database stalls', { concurrency: 4 }, () => {
  for (const one of chosen)
    it(`${titleOf(one)}: none early, none twice, none lost, none unknown`, async (test) => {
      const run = await prepareStall(one);
      try {
        await run.stallInTheMiddle();
        await run.cameToRest();
        const { failures, ...figures } = await run.judge();
        const said = Object.entries(figures).map(([what, n]) => `${n} ${what}`);
        test.diagnostic(`${titleOf(one)}: ${said.join(', ')}`);
        assert.deepEqual(failures, []);
        assert.deepEqual([figures.early, figures.twice, figures.lost, figures.unknown], [0, 0, 0, 0]);
      } finally {
        await run.close();
      }
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { csvLine, withoutGuards } from '../../request/csv.js';
import { CsvReader } from './csv.js';

const SIGNS = '=+-@＝＋－＠';

/** Mostly what means something to a reader of CSV. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`${SIGNS};,\t\r\n'" ax`), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 30 }).filter((one) => one.isWellFormed()),
);

function readLines(csv: string): string[][] {
  const reader = new CsvReader(csv);
  const lines: string[][] = [];
  for (;;) {
    const work = reader.next();
    let step = work.next();
    while (!step.done) step = work.next();
    if (step.value === null) return lines;
    lines.push(step.value.cells);
  }
}

describe('A text that is exported as CSV', () => {
  it('is the same after an import', () => {
    fc.assert(
      fc.property(text, text, (one, two) => {
        const [, cells] = readLines(csvLine(['title', 'caption', 'id']) + csvLine([one, two, 'id']));
        assert.deepEqual(cells?.map(withoutGuards), [one, two, 'id']);
        // Spaces alone are not taken for an empty cell.
        assert.equal(cells?.[0]?.trim() === '', one === '');
      }),
      { numRuns: 3_000 },
    );
  });

  it('begins no cell with a sign of a formula, whatever separates cells for the reader', () => {
    fc.assert(
      fc.property(text, (one) => {
        const line = csvLine(['x', one]);
        const pieces = line.slice(2).split(/[;\t\r\n]/);
        for (const piece of pieces)
          assert.doesNotMatch(
            piece.replace(/^["' ]*/, (run) => (run.includes("'") ? "'" : '')),
            new RegExp(`^[${SIGNS.replace('-', '\\-')}]`),
          );
      }),
      { numRuns: 3_000 },
    );
  });

  it('stays readable: only what could be a formula is marked', () => {
    assert.equal(
      csvLine(['Fold it - twice', 'a@b.example', '1 + 1 = 2']),
      'Fold it - twice,a@b.example,1 + 1 = 2\r\n',
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../core/problems.js';
import { type CsvLine, CsvReader, MAX_CELL, MAX_COLUMNS } from './csv.js';

/** All lines; `steps` gets what each step costs. */
function readCsv(text: string, steps: number[] = []): CsvLine[] {
  const reader = new CsvReader(text);
  const lines: CsvLine[] = [];
  for (;;) {
    const work = reader.next();
    let step = work.next();
    for (; !step.done; step = work.next()) steps.push(step.value);
    if (step.value === null) return lines;
    lines.push(step.value);
  }
}

const cellsOf = (text: string) => readCsv(text).map(({ cells }) => cells);

describe('a CSV file', () => {
  it('has cells separated by commas, and lines of any kind', () => {
    const expected = [
      ['a', 'b'],
      ['1', '2'],
      ['3', ''],
    ];
    for (const end of ['\n', '\r\n', '\r'])
      for (const last of ['', end]) assert.deepEqual(cellsOf(`a,b${end}1,2${end}3,${last}`), expected);
  });

  it('may be separated by semicolons or tabs, and begin with a byte order mark', () => {
    assert.deepEqual(cellsOf('\ufeffa;b\n1,5;2'), [
      ['a', 'b'],
      ['1,5', '2'],
    ]);
    assert.deepEqual(cellsOf('a\tb\n"1\t"\t2'), [
      ['a', 'b'],
      ['1\t', '2'],
    ]);
  });

  it('quotes cells with separators, line breaks and quotation marks', () => {
    assert.deepEqual(cellsOf('a,b\n"x,""y""\r\nz",""\n'), [
      ['a', 'b'],
      ['x,"y"\r\nz', ''],
    ]);
    assert.deepEqual(cellsOf('a\n""""\nsay "hi"\n'), [['a'], ['"'], ['say "hi"']]);
  });

  it('counts lines as a spreadsheet does, with empty ones', () => {
    const lines = readCsv('a,b\n\n"1\n2",3\n , \n4,5').map(({ line, cells }) => [line, cells[0]]);
    assert.deepEqual(lines, [
      [1, 'a'],
      [3, '1\n2'],
      [5, '4'],
    ]);
  });

  it('says which cell has a quotation mark too few or too many', () => {
    const faults = (text: string) =>
      readCsv(text).flatMap(({ line, fault }) => (fault ? [{ line, ...fault }] : []));
    assert.deepEqual(faults('a,b\n1,"2\n3,4\n'), [
      { line: 2, cell: 1, message: 'begins with a quotation mark that is never closed' },
    ]);
    assert.deepEqual(faults('a,b\n"1"x,2\n3,4'), [
      { line: 2, cell: 0, message: 'has text after its closing quotation mark' },
    ]);
  });

  it('has at most 100 columns, and 64 KB in a cell', () => {
    const refusal = (text: string) => {
      let message = '';
      assert.throws(
        () => readCsv(text),
        (error: AppError) => {
          message = error.fields.map(({ pointer, message }) => `${pointer} ${message}`).join();
          return error instanceof AppError && error.code === 'validation_failed';
        },
      );
      return message;
    };
    const commas = ','.repeat(MAX_COLUMNS - 1);
    assert.equal(cellsOf(`a${commas}\n1${commas}`)[0]?.length, MAX_COLUMNS);
    assert.equal(refusal(`a,${commas}`), '/csv line 1: must have at most 100 columns');
    assert.equal(refusal(`a\n\n1,${commas}`), '/csv line 3: must have at most 100 columns');
    const long = 'x'.repeat(MAX_CELL);
    assert.deepEqual(cellsOf(`a,b\n1,${long}`)[1], ['1', long]);
    const why = 'must have at most 65536 characters; is a quotation mark missing?';
    assert.equal(refusal(`a,b\n1,${long}x`), `/csv line 2: column 2 ${why}`);
    assert.equal(refusal(`a,b\n"${long}"`), `/csv line 2: column 1 ${why}`);
    assert.equal(refusal(`a\n"${'"'.repeat(2 * MAX_CELL)}`), `/csv line 2: column 1 ${why}`);
    assert.equal(refusal(`a\n"1"${long}`), `/csv line 2: column 1 ${why}`);
  });

  it('is read in small steps, whatever its shape', () => {
    const shapes = ['\n', '\r', ',\n', '"",""\n', ' \n', `${'x'.repeat(50_000)},y\n`, '"\n"\n'];
    for (const shape of shapes) {
      const steps: number[] = [];
      const text = `a,b\n${shape.repeat(Math.ceil(200_000 / shape.length))}`;
      readCsv(text, steps);
      const largest = steps.reduce((max, one) => Math.max(max, one));
      assert.ok(largest <= 1 + MAX_CELL / 256, `${JSON.stringify(shape)}: ${largest}`);
      // What is read is paid for: a unit covers a limited amount of text.
      assert.ok(steps.reduce((sum, one) => sum + one) >= text.length / 256, JSON.stringify(shape));
    }
  });
});

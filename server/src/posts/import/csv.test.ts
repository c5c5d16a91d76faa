import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCsv } from './csv.js';

const cellsOf = (text: string) => [...readCsv(text)].map(({ cells }) => cells);

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
    const lines = [...readCsv('a,b\n\n"1\n2",3\n , \n4,5')].map(({ line, cells }) => [line, cells[0]]);
    assert.deepEqual(lines, [
      [1, 'a'],
      [3, '1\n2'],
      [5, '4'],
    ]);
  });

  it('says which cell has a quotation mark too few or too many', () => {
    const faults = (text: string) =>
      [...readCsv(text)].flatMap(({ line, fault }) => (fault ? [{ line, ...fault }] : []));
    assert.deepEqual(faults('a,b\n1,"2\n3,4\n'), [
      { line: 2, cell: 1, message: 'begins with a quotation mark that is never closed' },
    ]);
    assert.deepEqual(faults('a,b\n"1"x,2\n3,4'), [
      { line: 2, cell: 0, message: 'has text after its closing quotation mark' },
    ]);
  });

  it('loses the one apostrophe that an export puts before what looks like a formula', () => {
    const cells = ["'=1+1", "'+a", "'-a", "'@a", "'\ta", "'\ra", "''=a", "'a", '=1'];
    const text = `a\n${cells.map((cell) => `"${cell}"`).join('\n')}`;
    assert.deepEqual(
      cellsOf(text)
        .slice(1)
        .map(([cell]) => cell),
      ['=1+1', '+a', '-a', '@a', '\ta', '\ra', "''=a", "'a", '=1'],
    );
  });

  it('is read in time that grows with its length alone', () => {
    const text = `a\n${'"'.repeat(200_001)}`;
    assert.equal(cellsOf(text).length, 2);
    assert.equal(cellsOf(`a\n${','.repeat(100_000)}x`).length, 2);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COLUMNS, freeColumns, namedColumns, withNameAt, withoutColumns } from './columns.js';
import { parseTable, toCsv } from './csv.js';

const TABLE = parseTable('Owner,Title,capton,\nAnna,A,One,\n\n"B,n",B\n');

describe('a column that the import does not know', () => {
  it('can be each that the file does not have yet, the likeliest first', () => {
    const free = freeColumns(TABLE, 2, ['caption']);
    assert.deepEqual([free[0], free.length], ['caption', COLUMNS.length - 1]);
    assert.ok(!free.includes('title'));
    // Its own name is no other column's.
    assert.ok(freeColumns(TABLE, 1, []).includes('title'));
  });

  it('is left out with its cells in every line', () => {
    const without = withoutColumns(TABLE, new Set([0]));
    assert.deepEqual(without, [['Title', 'capton', ''], ['A', 'One', ''], [], ['B']]);
    assert.deepEqual(parseTable(toCsv(without)), [['Title', 'capton', ''], ['A', 'One', ''], [''], ['B']]);
    assert.equal(withoutColumns(TABLE, new Set()), TABLE);
  });

  it('can be the one that the file lacks, and again what it was', () => {
    assert.deepEqual(
      namedColumns(TABLE).map(({ name }) => name),
      ['Owner', 'Title', 'capton'],
    );
    const named = withNameAt(TABLE, 0, 'title', -1, '');
    assert.deepEqual(named[0], ['title', 'Title', 'capton', '']);
    assert.deepEqual(withNameAt(named, 2, 'title', 0, 'Owner')[0], ['Owner', 'Title', 'title', '']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cellAt,
  columnNamed,
  linesLacking,
  parseTable,
  scheduledWithoutMedia,
  toCsv,
  withCells,
  withColumn,
} from './csv.js';

describe('a CSV file as a table', () => {
  it('has its lines where the API counts them, empty ones too', () => {
    const table = parseTable('\ufefftitle;caption\r\n"a;""b""\nc";d\r\n\r\ne;f');
    assert.deepEqual(table, [['title', 'caption'], ['a;"b"\nc', 'd'], [''], ['e', 'f']]);
    assert.equal(cellAt(table, 4, 'caption'), 'f');
    assert.equal(cellAt(table, 9, 'caption'), '');
  });

  it('is written so that it reads the same', () => {
    const table = [['title', 'caption'], ['a,"b"\nc', ' d '], [''], ['e', '=1']];
    assert.deepEqual(parseTable(toCsv(table)), table);
    assert.deepEqual(parseTable('a,"never closed\nb'), [['a', '"never closed\nb']]);
  });

  it('has columns that can be renamed', () => {
    const table = parseTable('titel, Caption ,caption\nA,B,C\n');
    assert.deepEqual(
      ['titel', 'caption', 'labels'].map((name) => columnNamed(table, name)),
      [0, 2, -1],
    );
    assert.deepEqual(withColumn(table, 0, 'title')[0], ['title', ' Caption ', 'caption']);
  });

  it('takes corrections, in columns that it lacks too', () => {
    const table = parseTable('Title,status\nA,posted\nB\n');
    const mended = withCells(table, [2], 'status', 'draft');
    assert.deepEqual(mended, [['Title', 'status'], ['A', 'draft'], ['B']]);
    assert.deepEqual(withCells(mended, [3], 'privacy_level', 'SELF_ONLY'), [
      ['Title', 'status', 'privacy_level'],
      ['A', 'draft'],
      ['B', '', 'SELF_ONLY'],
    ]);
  });

  it('has posts that are scheduled without media', () => {
    const table = parseTable(
      'title,scheduled_at,status,media_urls\nA,2030-01-01\nB,2030-01-01,scheduled,https://a.example/1.jpg\nC,2030-01-01,Scheduled\nD\n',
    );
    assert.equal(scheduledWithoutMedia(table, undefined), 1);
    assert.equal(scheduledWithoutMedia(table, 'scheduled'), 2);
    assert.equal(scheduledWithoutMedia(table, 'draft'), 1);
  });

  it('are filled for all lines with a time that lack something, and only for those', () => {
    const table = parseTable(
      'title,scheduled_at,status,account\nA,2030-01-01\nB\nC,,scheduled\nD,2030-01-01,,d\n',
    );
    assert.deepEqual(linesLacking(table, 'account'), [2, 4]);
    assert.deepEqual(linesLacking(table, 'privacy_level'), [2, 4, 5]);
    assert.deepEqual(
      withCells(table, [2, 4], 'account', 'a').map((cells) => cells[3] ?? ''),
      ['account', 'a', '', 'a', 'd'],
    );
  });
});

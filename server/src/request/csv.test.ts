import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine } from './csv.js';

describe('A line of CSV', () => {
  it('has plain cells as they are, and nothing for null', () => {
    assert.equal(csvLine(['a b', 5, true, null, '', "it's"]), "a b,5,true,,,it's\r\n");
  });

  it('quotes cells with commas, quotes and line breaks', () => {
    assert.equal(
      csvLine(['a,b', 'say "x"', 'one\ntwo', '\r\n']),
      '"a,b","say ""x""","one\ntwo","\'\r\n"\r\n',
    );
  });

  it('puts an apostrophe before text that a spreadsheet would run as a formula', () => {
    for (const begin of ['=', '+', '-', '@']) assert.equal(csvLine([`${begin}1`]), `'${begin}1\r\n`);
    assert.equal(csvLine(['\rx', '\tx']), `"'\rx","'\tx"\r\n`);
    assert.equal(csvLine(['=HYPERLINK("http://x","y")']), `"'=HYPERLINK(""http://x"",""y"")"\r\n`);
    assert.equal(csvLine(['a=1', ' =1', -5]), "a=1,' =1,-5\r\n");
    for (const sign of '＝＋－＠') assert.equal(csvLine([`${sign}1`]), `'${sign}1\r\n`);
  });

  it('does so after what another separator would make the beginning of a cell, and quotes cells with one', () => {
    assert.equal(
      csvLine(['a;=1', 'b\t@c', 'hi\n@friend', 'x;"=1']),
      `"a;'=1","b\t'@c","hi\n'@friend","x;'""=1"\r\n`,
    );
    assert.equal(csvLine(['a;b', 'a\tb']), '"a;b","a\tb"\r\n');
  });

  it('marks text of spaces and apostrophes alone, so that an import does not lose it', () => {
    assert.equal(csvLine([' ', "'", '']), "' ,'',\r\n");
  });
});

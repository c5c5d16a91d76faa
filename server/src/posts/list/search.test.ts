import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldForSearch, searchPattern } from './search.js';

/** What `like … escape '\'` does, for patterns that are literal but for a % at both ends. */
function finds(q: string, title: string, caption: string | null = null): boolean {
  const literal = searchPattern(q).slice(1, -1).replace(/\\(.)/gsu, '$1');
  return foldForSearch(title, caption).includes(literal);
}

describe('Search', () => {
  it('looks for the words anywhere', () => {
    assert.equal(searchPattern('map'), '%map%');
  });

  it('escapes what like would take for a wildcard, also when folding makes it one', () => {
    assert.equal(searchPattern('100%'), '%100\\%%');
    assert.equal(searchPattern('a_b'), '%a\\_b%');
    assert.equal(searchPattern('a\\b'), '%a\\\\b%');
    assert.equal(searchPattern('\uff05\uff3f\uff3c'), '%\\%\\_\\\\%');
  });

  it('looks into title and caption', () => {
    assert.ok(finds('title', 'A title', 'a caption'));
    assert.ok(finds('caption', 'A title', 'a caption'));
    assert.ok(finds('title', 'A title', null));
    assert.ok(!finds('null', 'A title', null));
  });

  it('does not find words that only meet where title and caption touch', () => {
    assert.ok(!finds('mapbird', 'map', 'bird'));
    assert.ok(!finds('map bird', 'map', 'bird'));
  });

  it('does not mind upper and lower case', () => {
    for (const [q, title] of [
      ['MAP', 'map'],
      ['map', 'MAP'],
      ['ÄÖÜ', 'äöü'],
      ['журнал', 'ЖУРНАЛ'],
    ] as const)
      assert.ok(finds(q, title), `${q} in ${title}`);
  });

  it('does not mind how a letter is composed or how wide it is', () => {
    assert.ok(finds('caf\u00e9', 'Cafe\u0301'));
    assert.ok(finds('cafe\u0301', 'Caf\u00e9'));
    assert.ok(finds('abc', '\uff21\uff22\uff23'));
    assert.ok(finds('fish', '\ufb01sh'));
  });

  it('finds any beginning of a word just as it was written, in every script', () => {
    for (const word of ['Compass', 'ОДИССЕЯ', 'ΟΔΥΣΣΕΙΑ', 'İSTANBUL', 'STRASSE'])
      for (let length = 1; length <= word.length; length++)
        assert.ok(finds(word.slice(0, length), word), `${word} by ${word.slice(0, length)}`);
  });

  it('finds a word that ends in sigma by its letters in the other case', () => {
    assert.ok(finds('ΟΔΟΣ', 'οδος'));
    assert.ok(finds('οδος', 'ΟΔΟΣ'));
  });

  it('finds emoji', () => {
    assert.ok(finds('\u{1F9ED}', 'North \u{1F9ED}'));
    assert.ok(!finds('\u{1F9EE}', 'North \u{1F9ED}'));
  });
});

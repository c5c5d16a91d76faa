import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../core/problems.js';
import { foldForSearch, splitWords } from './text.js';

interface Text {
  title?: string;
  caption?: string;
  hashtags?: string;
}

const fold = ({ title = '', caption, hashtags }: Text) =>
  foldForSearch({ title, caption: caption ?? null, hashtags: hashtags ?? null });

function finds(q: string, text: string | Text): boolean {
  const folded = fold(typeof text === 'string' ? { title: text } : text);
  return splitWords(q).every((word) => folded.includes(word));
}

describe('Search', () => {
  it('looks into title, caption and hashtags', () => {
    const text = { title: 'A title', caption: 'a caption', hashtags: '#hiking' };
    for (const q of ['title', 'caption', 'hiking', '#hiking']) assert.ok(finds(q, text), q);
    assert.ok(!finds('null', { title: 'A title' }));
  });

  it('looks for all words, in any order and place', () => {
    assert.ok(finds('packing night', 'Packing for one night'));
    assert.ok(finds('night packing', 'Packing for one night'));
    assert.ok(finds('night  hiking', { title: 'One night', hashtags: '#hiking' }));
    assert.ok(!finds('packing day', 'Packing for one night'));
  });

  it('does not find a word that only appears where two fields touch', () => {
    assert.ok(!finds('mapbird', { title: 'map', caption: 'bird' }));
    assert.ok(!finds('bird#map', { title: 'a', caption: 'bird', hashtags: '#map' }));
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

  it('finds ß as ss, and the Turkish letters i as one', () => {
    const same = [
      ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
      ['IŞIK', 'ışık', 'Işık', 'işik'],
      ['İstanbul', 'istanbul', 'ISTANBUL', 'ıstanbul'],
    ];
    for (const words of same)
      for (const title of words) for (const q of words) assert.ok(finds(q, title), `${q} in ${title}`);
  });

  it('does not mind how a letter is composed or how wide it is', () => {
    assert.ok(finds('caf\u00e9', 'Cafe\u0301'));
    assert.ok(finds('cafe\u0301', 'Caf\u00e9'));
    assert.ok(finds('abc', '\uff21\uff22\uff23'));
    assert.ok(finds('fish', '\ufb01sh'));
    assert.ok(finds('\u0390', '\u03aa\u0301'));
  });

  it('finds any beginning of a word just as it was written, in every script', () => {
    for (const word of ['Compass', 'ОДИССЕЯ', 'ΟΔΥΣΣΕΙΑ', 'İSTANBUL', 'STRASSE', 'Straße', '東京都庁'])
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

  it('keeps the longest text of ordinary characters whole, of those outside the basic plane too', () => {
    for (const letter of ['a', '\u{1F9ED}']) {
      const text = {
        title: letter.repeat(500),
        caption: letter.repeat(2200),
        hashtags: `${letter.repeat(499)}z`,
      };
      assert.ok(fold(text).endsWith(`${letter}z`));
    }
  });

  it('cuts a text that folding has made longer, after a number of characters', () => {
    const long = '\u2057'.repeat(2200);
    assert.equal(fold({ title: '\u2057'.repeat(500), caption: long }).length, 3_300);
    const cut = fold({ title: '\u{1F9ED}'.repeat(500), caption: long });
    assert.equal([...cut].length, 3_300);
    assert.ok(fold({ title: 'a', caption: `${'\u{1F9ED}'.repeat(500)}${long}` }).isWellFormed());
  });

  it('keeps 30 marks of a letter: normalizing thousands takes long', () => {
    const marks = `a${'\u0301'.repeat(1_600)}${'\u0334'.repeat(1_600)}`;
    assert.equal(fold({ title: marks }).normalize('NFD').length, 31);
    assert.ok(finds(marks.slice(0, 100), marks));
    assert.ok(finds('เพื่อ', 'เพื่อน'));
  });

  it('takes each word of a query once, and spaces for none', () => {
    assert.deepEqual(splitWords(' Map  map\tMAP bird '), ['map', 'bird']);
    assert.deepEqual(splitWords(' \u3000 '), []);
    assert.deepEqual(splitWords('\u6771\u4eac\u3000\u65c5\u884c'), ['\u6771\u4eac', '\u65c5\u884c']);
  });

  it('refuses more than eight words, also when folding makes them', () => {
    assert.equal(splitWords('a b c d e f g h').length, 8);
    for (const q of ['a b c d e f g h i', 'a a a a a a a a a', '\ufdfa a b c d e'])
      assert.throws(
        () => splitWords(q),
        (error) => error instanceof AppError && error.fields[0]?.pointer === '/q',
        q,
      );
  });
});

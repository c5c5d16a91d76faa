import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { titleKey } from './text-keys.js';

describe('The key of a title', () => {
  it('ignores case, accents and the space around it', () => {
    assert.equal(titleKey('  Über Élan '), 'uber elan');
    assert.equal(titleKey('u\u0308ber e\u0301lan'), 'uber elan');
    assert.equal(titleKey('STRASSE'), titleKey('Straße'));
    assert.equal(titleKey('ΟΔΟΣ'), titleKey('οδος'));
    assert.equal(titleKey('İstanbul'), titleKey('ıstanbul'));
  });

  it('keeps the letters of other scripts whole', () => {
    assert.equal(titleKey('한글'), '한글');
    assert.equal(titleKey('がぎ'), 'がぎ');
    assert.equal(titleKey('हिन्दी'), 'हिन्दी'.normalize('NFC'));
  });

  it('has at most 100 characters, and cuts none in half', () => {
    assert.equal(titleKey('A'.repeat(500)), 'a'.repeat(100));
    assert.equal(titleKey('🧭'.repeat(500)), '🧭'.repeat(100));
    assert.ok(titleKey('🧭'.repeat(500)).isWellFormed());
    assert.equal([...titleKey('\u{FDFA}'.repeat(500))].length, 100);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingHashText, withHashes } from './hashtags.js';

describe('words without # among the hashtags', () => {
  it('are all named, each once', () => {
    assert.equal(missingHashText('#maps #outdoors'), null);
    assert.equal(missingHashText('#maps tents'), '“tents” has no #, so it won’t be a hashtag.');
    assert.equal(
      missingHashText('maps, #tents boots\nmaps huts'),
      '“maps”, “boots” and “huts” have no #, so they won’t be hashtags.',
    );
  });

  it('get one, and nothing else changes', () => {
    assert.equal(withHashes('maps, #tents  Äpfel\n–'), '#maps, #tents  #Äpfel\n–');
    assert.equal(withHashes('#maps'), '#maps');
  });
});

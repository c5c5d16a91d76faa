import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnLabel, sentenceOf } from './import-text.js';

describe('a problem in a CSV file', () => {
  it('is a sentence about its cell, or about the URL in it', () => {
    assert.equal(sentenceOf('must be one of slides, video', 'This'), 'This must be one of slides, video.');
    assert.equal(sentenceOf('No such account.', 'This'), 'No such account.');
    assert.equal(
      sentenceOf('http://a.example/1.jpg must begin with https://', 'This'),
      'http://a.example/1.jpg must begin with https://.',
    );
  });

  it('does not name a setting that only the operator can change', () => {
    const said = 'must not name this machine unless the operator allows it (WEBHOOK_ALLOW)';
    assert.equal(sentenceOf(said, 'This'), 'This must not name this machine.');
  });

  it('names a column as the file does, and what the file lacks as the screens do', () => {
    assert.equal(columnLabel('privacy_level', true), 'privacy_level');
    assert.equal(columnLabel('privacy_level', false), 'Who can see it');
    assert.equal(columnLabel('media_urls', false), 'media_urls');
  });
});

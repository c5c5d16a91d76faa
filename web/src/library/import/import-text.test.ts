import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnLabel, exampleFor, sentenceOf, summaryOf } from './import-text.js';

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

describe('the example of a CSV file', () => {
  it('names a connected account, if there is one', () => {
    const fixed = exampleFor([{ username: 'gone', status: 'reconnect_required' }]);
    const own = exampleFor([{ username: 'field.notes', status: 'connected' }]);
    assert.equal(own.replace('field.notes', 'your.account'), fixed);
    assert.notEqual(own, fixed);
  });
});

describe('what a file will become', () => {
  it('is said once', () => {
    const found = { lines: 6, drafts: 6, scheduled: 0, media: 0, new_labels: [] };
    assert.equal(summaryOf(found), '6 drafts.');
    assert.equal(summaryOf({ ...found, drafts: 2, scheduled: 4 }), '6 posts: 2 drafts, 4 scheduled.');
    assert.equal(summaryOf({ ...found, drafts: 0, scheduled: 6 }), '6 posts, all scheduled.');
  });
});

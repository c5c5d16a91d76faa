import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, withoutCode } from './reason.js';

describe('a reason', () => {
  it('is a sentence without its code', () => {
    const reason = "A file's width or height isn't supported (picture_size_check_failed)";
    assert.equal(withoutCode(reason), "A file's width or height isn't supported.");
    assert.equal(codeOf(reason), 'picture_size_check_failed');
    assert.equal(
      withoutCode('The text was flagged as spam. Change it (spam_risk_text).'),
      'The text was flagged as spam. Change it.',
    );
  });

  it('stays as it is without a code', () => {
    assert.equal(withoutCode('It was late (by an hour).'), 'It was late (by an hour).');
    assert.equal(codeOf('It was late (by an hour).'), '');
  });
});

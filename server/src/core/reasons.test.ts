import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOfReason, reasonWithCode, reasonWithoutCode } from './reasons.js';

describe('a reason', () => {
  it('the code at its end is told apart from its words', () => {
    const reason = reasonWithCode('Images must be smaller.', 'picture_size_check_failed');
    assert.equal(reason, 'Images must be smaller (picture_size_check_failed)');
    assert.equal(codeOfReason(reason), 'picture_size_check_failed');
    assert.equal(reasonWithoutCode(reason), 'Images must be smaller');
  });

  it('parentheses that are no code at the end are its words', () => {
    for (const reason of [
      '',
      'Too large (more than 20 MB)',
      'It (the file) is missing.',
      'Missing (file).',
    ]) {
      assert.equal(codeOfReason(reason), null, reason);
      assert.equal(reasonWithoutCode(reason), reason);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasonWithCode, reasonWithoutCode } from './reasons.js';

describe('a reason', () => {
  it('ends with its code, which can be left out', () => {
    const code = 'picture_size_check_failed';
    const reason = reasonWithCode('Images must be smaller.', code);
    assert.equal(reason, 'Images must be smaller (picture_size_check_failed)');
    assert.equal(reasonWithoutCode(reason, code), 'Images must be smaller');
  });

  it('keeps parentheses that are not its code', () => {
    for (const reason of ['', 'Too large (more than 20 MB)', 'Missing (file).', 'Missing (file)'])
      for (const code of ['missing', null]) assert.equal(reasonWithoutCode(reason, code), reason);
  });
});

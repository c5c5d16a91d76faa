import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasonWithoutCode } from './reasons.js';

describe('a reason', () => {
  it('is told without the code at its end', () => {
    const reason = 'Images must be smaller (picture_size_check_failed)';
    assert.equal(reasonWithoutCode(reason, 'picture_size_check_failed'), 'Images must be smaller');
  });

  it('keeps parentheses that are not its code', () => {
    for (const reason of ['', 'Too large (more than 20 MB)', 'Missing (file).', 'Missing (file)'])
      for (const code of ['missing', null]) assert.equal(reasonWithoutCode(reason, code), reason);
  });
});

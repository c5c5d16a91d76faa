import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatReason } from './reason-names.js';

describe('the reason of a failure', () => {
  it('is said in words', () =>
    assert.equal(formatReason('picture_size_check_failed'), 'Unsupported image size'));

  it('is readable when its code is not known yet', () => {
    assert.equal(formatReason('some_new_check_failed'), 'Some new check failed');
    assert.equal(formatReason('constructor'), 'Constructor');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, inBrief, named, unknownBecause, withoutCode } from './api-text.js';

describe('a reason', () => {
  it('is a sentence without its code', () => {
    const reason = "A file's width or height isn't supported (picture_size_check_failed)";
    assert.equal(withoutCode(reason), 'A file’s width or height isn’t supported.');
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

  it('is brief on a card: by its name, or by what happened', () => {
    const unknown =
      "The outcome is unknown: the platform didn't answer. The post is not sent again automatically; check the account and resolve the post (no_answer)";
    const sandbox = { name: 'the sandbox', atStart: 'The sandbox' };
    assert.equal(named(inBrief(unknown), sandbox), 'The sandbox didn’t answer.');
    assert.equal(
      inBrief("A file's width or height isn't supported (picture_size_check_failed)"),
      'Unsupported image size',
    );
    assert.equal(inBrief('Something new happened (some_new_code)'), 'Something new happened.');
    assert.equal(unknownBecause('Something new happened (some_new_code)'), undefined);
  });
});

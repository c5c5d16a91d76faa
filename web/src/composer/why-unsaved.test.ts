import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyUnsaved } from './why-unsaved.js';

describe('a text that is not saved', () => {
  it('names a marked field only if there is one', () => {
    assert.match(whyUnsaved('held'), /marked field/);
    assert.match(whyUnsaved('refused'), /marked field/);
    for (const saving of ['unreachable', 'conflict', 'ended', 'saving'] as const)
      assert.doesNotMatch(whyUnsaved(saving), /marked field/);
  });
});

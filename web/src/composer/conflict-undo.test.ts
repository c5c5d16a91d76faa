import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitByUse } from './conflict-undo.js';
import type { Fields } from './fields.js';

describe('the undo of taking the other text', () => {
  it('leaves alone what was typed since', () => {
    const title = { field: 'title', mine: 'Mine', theirs: 'Theirs' } as const;
    const caption = { field: 'caption', mine: 'My caption', theirs: 'Their caption' } as const;
    const now = { title: 'Theirs', caption: 'Their caption, and more' } as Fields;
    assert.deepEqual(splitByUse([title, caption], now), { untouched: [title], typedIn: [caption] });
  });
});

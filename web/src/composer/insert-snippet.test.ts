import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joined } from './insert-snippet.js';

describe('a saved text that is inserted', () => {
  it('is parted by a space from what stands before and after it', () => {
    assert.deepEqual(joined('Come ', 'Saved text', 'see us'), { text: 'Come Saved text see us', cursor: 15 });
    assert.deepEqual(joined('Come', 'and', ' see'), { text: 'Come and see', cursor: 8 });
    assert.deepEqual(joined('', 'All', ''), { text: 'All', cursor: 3 });
    assert.deepEqual(joined('A\n', 'line\n', 'end'), { text: 'A\nline\nend', cursor: 7 });
    assert.deepEqual(joined('#a', '', ''), { text: '#a', cursor: 2 });
  });
});

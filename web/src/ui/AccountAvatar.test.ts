// The one component that shows pictures of accounts checks where they come from; no other file may read their URL.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));

describe('avatar_url', () => {
  it('is read by AccountAvatar only', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
    );
    const reading = files.filter((file) => /[.?]avatar_url/.test(readFileSync(SRC + file, 'utf8')));
    assert.deepEqual(reading, ['ui/AccountAvatar.tsx']);
  });
});

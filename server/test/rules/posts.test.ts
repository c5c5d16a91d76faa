// Posts are written in few places, so that everything that follows from a change is done; and their routes are easy to find.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../../../../server/src', import.meta.url));

const WRITERS: Record<string, string> = {
  'posts/rows.ts': 'the statements of posts/write.ts, which does all that follows from them',
  'posts/unrecorded.ts':
    'columns on which no counter depends; it notes the changes, and callers record events',
  'posts/labels/post-labels.ts': 'takes a deleted label off its posts, many in one statement, and notes them',
};

/** Statements on the table, as Kysely or as SQL. */
const WRITE =
  /\b(?:updateTable|insertInto|deleteFrom)\('posts'\)|\b(?:update|insert into|delete from) "?posts"?\s/;

const files = (readdirSync(SOURCES, { recursive: true }) as string[]).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('db/migrations/'),
);
const textOf = (file: string) => readFileSync(join(SOURCES, file), 'utf8');

it('posts are written only where everything that follows from it is done', () => {
  const writers = files.filter((file) => WRITE.test(textOf(file)));
  assert.deepEqual(writers.sort(), Object.keys(WRITERS).sort());
});

it('posts/routes.ts names every other file with routes of posts', () => {
  const others = files.filter(
    (file) =>
      file.endsWith('routes.ts') && /^ +'\/api\/v1\/posts/m.test(textOf(file)) && !file.startsWith('posts/'),
  );
  assert.ok(others.length > 3, 'the routes are found');
  const comment = textOf('posts/routes.ts').split('\nimport')[0] as string;
  assert.deepEqual(others.sort(), [...new Set(comment.match(/\S+routes\.ts/g))].sort());
});

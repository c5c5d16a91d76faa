// Times of day and numbers are written in one way: by the functions that know the person's clock and language.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** They write times and numbers, or calculate with them. */
const FORMATTERS = ['time-format.ts', 'typed-time.ts', 'numbers.ts']
  .map((name) => `web/src/text/${name}`)
  .concat('web/src/publish/wall-time.ts');
const FORMATTING =
  /hourCycle|hour12|timeStyle|NumberFormat|toLocale\w*String|[ \d}][ap]m['"`]|\b(?:1_000_000|1e6)\).*[kM]`/;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

it('The dashboard leaves times of day to one function, and numbers to another', () => {
  const screens = readdirSync(join(ROOT, 'web/src'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('web/src', path))
    .filter(
      (path) => /\.tsx?$/.test(path) && !/\.test\.|\.gen\.ts$/.test(path) && !FORMATTERS.includes(path),
    );
  assert.ok(screens.length > 200, 'the sources are found');
  const found = screens.filter((path) =>
    FORMATTING.test(readFileSync(join(ROOT, path), 'utf8').replaceAll(COMMENT, '')),
  );
  assert.deepEqual(found, []);
});

// Mantine's components have a style sheet each. The dashboard imports them where they are used, so a missing one would show only
// on the screen that needs it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSources } from './sources/import-rules.js';

const WEB = fileURLToPath(new URL('../../../../web/src', import.meta.url));
const STYLES = join(
  dirname(createRequire(join(WEB, 'main.tsx')).resolve('@mantine/core/styles.css')),
  'styles',
);

/** Components that are made of others, where their names do not say so. */
const MADE_OF: Readonly<Record<string, string>> = { Select: 'Combobox' };

const SHEET = /@mantine\/core\/styles\/(\w+)\.layer\.css/g;
const sheetsIn = (text: string) => [...text.matchAll(SHEET)].map(([, name]) => name as string);
const COMPONENTS = /^import \{([^}]*)\} from '@mantine\/core';/gm;

describe('the styles of the dashboard', () => {
  const { files, textOf } = readSources(WEB);
  const shared = (file: string) => sheetsIn(readFileSync(join(WEB, 'ui', file), 'utf8'));
  const base = shared('mantine.css');
  const overlays = shared('overlays.css');

  it('come with each component that a file uses', () => {
    assert.ok(base.length > 10 && overlays.length > 5, 'the shared style sheets are found');
    let found = 0;
    const missing = files.flatMap((file) => {
      const text = textOf(file);
      const there = [...base, ...sheetsIn(text), ...(text.includes('/overlays.css') ? overlays : [])];
      const used = [...text.matchAll(COMPONENTS)]
        .flatMap(([, names = '']) => names.split(','))
        .map((name) => name.trim())
        .map((name) => MADE_OF[name] ?? name)
        .filter((name) => existsSync(join(STYLES, `${name}.layer.css`)));
      found += used.length;
      return used.filter((name) => !there.includes(name)).map((name) => `${file}: ${name}`);
    });
    assert.ok(found > 100, 'the components are found');
    assert.deepEqual(missing, []);
  });
});

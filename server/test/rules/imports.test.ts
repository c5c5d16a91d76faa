// Who may import whom, as data: held against the import lines of the sources, and shown in ARCHITECTURE.md.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SOURCES = join(ROOT, 'server/src');

/**
 * The first row that fits a file is its part: `x/` is a folder, `*` one name. Files of one part may import each
 * other; "types of x" allows `import type` alone; "as a feature" stands for the last row. A new file or folder that
 * fits no row needs one: that is the moment to think about where it belongs.
 */
export const PARTS: readonly (readonly [part: string, files: string, mayImport: string])[] = [
  [
    'main',
    'main.ts',
    'config, app, service, ground, migrations, adapters, http, dispatches, posts, restore, types of store',
  ],
  ['service', 'service.ts', 'app, demo, ground, http, sandbox, worker, types of config'],
  [
    'app',
    'app.ts',
    'config, ground, db, migrations, adapters, stores, keys, people, delivery, connectors, restore, types of store',
  ],
  ['demo', 'demo.ts', 'accounts, keys, organizations, people, tables, ground, types of app, types of db'],
  ['config', 'config.ts env-reader.ts', ''],
  [
    'ground',
    'background.ts clock.ts database-clock.ts ids.ts log.ts problems.ts seal.ts short-memory.ts turns.ts',
    'config',
  ],
  [
    'db',
    'db/database.ts db/guard.ts db/tables.ts db/people-tables.ts db/event-tables.ts db/restore-tables.ts db/changes.ts db/hot-reads.ts db/reads-by-day.ts',
    '',
  ],
  ['adapters', 'db/sqlite.ts db/sqlite-connection.ts db/postgres.ts db/postgres-changes.ts', 'db, ground'],
  ['migrations', 'db/migrate.ts db/migrations/', 'db, adapters'],
  ['store', 'storage/object-store.ts storage/keys.ts storage/range.ts', ''],
  [
    'stores',
    'storage/disk.ts storage/signed-address.ts storage/s3.ts storage/s3-addresses.ts storage/sigv4.ts',
    'store, ground, config',
  ],
  ['storage', 'storage/', 'store, stores, ground, types of app, types of db, types of http'],
  [
    'tables',
    'posts/state.ts keys/scopes.ts organizations/plans.ts assets/limits.ts events/ids.ts',
    'types of db',
  ],
  ['wire', 'http/schema.ts http/pagination.ts', 'ground'],
  ['schemas', '*/schema.ts', 'wire, tables'],
  [
    'request',
    'http/caller.ts http/cookie.ts http/cross-origin.ts http/idempotency.ts http/idempotent-attempt.ts',
    'ground, types of http, types of app, types of config, types of db, types of keys, types of people',
  ],
  [
    'http',
    'http/',
    'request, wire, schemas, ground, migrations, store, storage, accounts, analytics, assets, dispatches, events, keys, ' +
      'delivery, members, organizations, people, posts, publishing, restore, types of tables, types of app, types of config, types of sandbox, types of stores, types of worker',
  ],
  [
    'worker',
    'worker/',
    'request, ground, db, storage, accounts, assets, delivery, dispatches, events, posts, publishing, types of app',
  ],
  ['media', 'media/', 'ground'],
  ['connectors', 'connectors/', 'types of ground'],
  ['sandbox', 'sandbox/', ''],
  ['accounts', 'accounts/', 'as a feature, events, types of connectors'],
  ['analytics', 'analytics/', 'as a feature, posts'],
  ['assets', 'assets/', 'as a feature, store, storage, media, posts'],
  ['dispatches', 'dispatches/', 'as a feature'],
  ['events', 'events/', 'as a feature'],
  ['keys', 'keys/', 'as a feature'],
  ['organizations', 'organizations/', 'as a feature, config, events, keys'],
  ['people', 'people/', 'as a feature, organizations'],
  ['members', 'members/', 'as a feature, keys, people'],
  ['posts', 'posts/', 'as a feature, store, storage, accounts, dispatches, events'],
  [
    'delivery',
    'delivery/',
    'as a feature, accounts, assets, dispatches, events, posts, types of connectors, types of restore',
  ],
  ['restore', 'restore/', 'as a feature, delivery, posts, types of store'],
  [
    'publishing',
    'publishing/',
    'as a feature, config, media, accounts, assets, delivery, dispatches, posts, types of connectors',
  ],
  ['a feature', '', 'schemas, tables, wire, request, ground, db, types of http, types of app'],
];

/** Of the packages, these parts use the schema library alone, or none. */
const PACKAGES: Record<string, string[]> = {
  schemas: ['typebox'],
  wire: ['typebox'],
  tables: [],
  config: [],
};

const files = (readdirSync(SOURCES, { recursive: true }) as string[]).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
);
const textOf = (file: string) => readFileSync(join(SOURCES, file), 'utf8');

const IMPORT =
  /^(?:import|export)\b(\s+type\b)?[^;'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;
const imports = files.flatMap((from) =>
  [...textOf(from).matchAll(IMPORT)].map(([, type, ...targets]) => {
    const target = targets.find((one) => one !== undefined) as string;
    const to = target.startsWith('.') ? join(from, '..', target.replace(/\.js$/, '.ts')) : target;
    return { from, to, typesOnly: type !== undefined };
  }),
);
const own = imports.filter(({ to }) => to.endsWith('.ts'));

function fits(file: string, pattern: string): boolean {
  if (pattern.endsWith('/')) return file.startsWith(pattern);
  return pattern.startsWith('*/') ? file.split('/')[1] === pattern.slice(2) : file === pattern;
}
const rowOf = (file: string) =>
  PARTS.find(([, patterns]) => patterns.split(' ').some((one) => fits(file, one)));
const partOf = (file: string) => rowOf(file)?.[0] ?? `(${file} has no row in PARTS)`;
const allowed = (may: string): string[] =>
  may.split(', ').flatMap((one) => (one === 'as a feature' ? allowed(PARTS.at(-1)?.[2] as string) : one));

describe('the sources', () => {
  it('are all part of something, and every row has files', () => {
    assert.ok(own.length > 100, 'the import lines are found');
    const found = new Set(files.map(partOf));
    assert.deepEqual(
      [...found].sort(),
      PARTS.slice(0, -1)
        .map(([part]) => part)
        .sort(),
    );
    assert.deepEqual(
      own.filter(({ to }) => !files.includes(to)),
      [],
    );
  });

  it('import only what the table allows', () => {
    const wrong = own.filter(({ from, to, typesOnly }) => {
      const may = allowed(rowOf(from)?.[2] ?? '');
      const target = partOf(to);
      return (
        target !== partOf(from) && !may.includes(target) && !(typesOnly && may.includes(`types of ${target}`))
      );
    });
    assert.deepEqual(wrong, []);
  });

  it('describe the wire with the schema library alone', () => {
    const packages = imports.filter(({ to }) => !to.endsWith('.ts') && !to.startsWith('node:'));
    assert.ok(packages.length > 10, 'the packages are found');
    assert.deepEqual(
      packages.filter(({ from, to }) => PACKAGES[partOf(from)]?.includes(to) === false),
      [],
    );
  });

  it('have no cycle of imports at run time', () => {
    const open: string[] = [];
    const done = new Set<string>();
    const visit = (file: string): void => {
      assert.ok(!open.includes(file), `a cycle: ${[...open.slice(open.indexOf(file)), file].join(' → ')}`);
      if (done.has(file)) return;
      open.push(file);
      for (const { from, to, typesOnly } of own) if (from === file && !typesOnly) visit(to);
      open.pop();
      done.add(file);
    };
    for (const file of files) visit(file);
  });

  it('read the environment in one file, and name the platform only there, where the parts are put together, in its connector and in its stand-in', () => {
    const mention = (word: RegExp) => files.filter((file) => word.test(textOf(file)));
    assert.deepEqual(mention(/process\.env\b/), ['config.ts']);
    const named = mention(/tiktok/i).filter(
      (file) => file !== 'config.ts' && file !== 'app.ts' && !/^(connectors|sandbox)\//.test(file),
    );
    assert.deepEqual(named, []);
  });
});

describe('ARCHITECTURE.md', () => {
  it('shows the table of imports as it is', () => {
    const rows = PARTS.map(([part, patterns, may]) => {
      const isObvious = patterns === '' || patterns === `${part}.ts` || patterns === `${part}/`;
      return `| ${part}${isObvious ? '' : ` (${patterns.replaceAll(' ', ', ')})`} | ${may || 'nothing'} |`;
    });
    const table = ['| part | may import |', '| --- | --- |', ...rows].join('\n');
    const file = join(ROOT, 'ARCHITECTURE.md');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    assert.ok(text.includes(table), `ARCHITECTURE.md must hold this table:\n\n${table}\n`);
  });
});

// Which folder may import which, as data: held against the import lines of the sources, and shown in ARCHITECTURE.md.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SOURCES = join(ROOT, 'server/src');
const SANDBOX = '@airdate/sandbox';

/**
 * Every folder of server/src, what it is, and what it may import, types included. Each may import only rows below its own,
 * so there are no circles. A new folder needs a row: that is the moment to think about where it belongs.
 */
export const FOLDERS: readonly (readonly [folder: string, mayImport: string])[] = [
  ['(top)', 'every folder, sandbox'],
  ['http', 'every folder below, sandbox'],
  ['worker', 'publishing, assets, posts, accounts, events, audit, work, api, files, db, ground'],
  ['operator', 'publishing, posts, identity, audit, api, safety, files, db, ground'],
  [
    'publishing',
    'assets, posts, accounts, analytics, events, audit, work, api, safety, connectors, db, config, ground',
  ],
  ['assets', 'posts, audit, quotas, work, api, files, db, ground'],
  ['posts', 'accounts, analytics, events, audit, quotas, api, connectors, files, db, ground'],
  ['identity', 'events, audit, quotas, api, db, config, ground'],
  ['accounts', 'events, audit, quotas, work, api, connectors, db, ground'],
  ['analytics', 'api, db, ground'],
  ['events', 'audit, work, api, db, ground'],
  ['audit', 'api, db, ground'],
  ['quotas', 'api, files, db, config, ground'],
  ['work', 'api, db, ground'],
  ['api', 'safety, connectors, files, db, config, ground'],
  ['safety', 'files, db, ground'],
  ['connectors', 'nothing'],
  ['files', 'db, config, ground'],
  ['db', 'ground'],
  ['config', 'nothing'],
  ['ground', 'nothing'],
];
const NAMES = FOLDERS.map(([folder]) => folder);

/** What a folder may import, spelled out. */
function allowed(folder: string): string[] {
  const row = NAMES.indexOf(folder);
  return (FOLDERS[row]?.[1] ?? '')
    .split(', ')
    .flatMap((one) => (one.startsWith('every folder') ? NAMES.slice(row + 1) : one));
}

const files = (readdirSync(SOURCES, { recursive: true }) as string[]).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
);
const textOf = (file: string) => readFileSync(join(SOURCES, file), 'utf8');
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : '(top)');

const IMPORT = /^(?:import|export)\b[^;'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;
const imports = files.flatMap((from) =>
  [...textOf(from).matchAll(IMPORT)].map(([, ...targets]) => {
    const target = targets.find((one) => one !== undefined) as string;
    const to = target.startsWith('.') ? join(from, '..', target.replace(/\.js$/, '.ts')) : target;
    return { from, to };
  }),
);
const own = imports.filter(({ to }) => to.endsWith('.ts'));

describe('the sources', () => {
  it('lie in the folders of the table, and every row has files', () => {
    assert.ok(own.length > 100, 'the import lines are found');
    assert.deepEqual([...new Set(files.map(folderOf))].sort(), [...NAMES].sort());
    assert.deepEqual(
      own.filter(({ to }) => !files.includes(to)),
      [],
    );
  });

  it('import only what the table allows, and every allowance is used', () => {
    const used = new Map(NAMES.map((name) => [name, new Set<string>()]));
    for (const { from, to } of imports) {
      const target = to.startsWith(SANDBOX) ? 'sandbox' : to.endsWith('.ts') ? folderOf(to) : null;
      if (target !== null && target !== folderOf(from)) used.get(folderOf(from))?.add(target);
    }
    for (const [folder, may] of FOLDERS) {
      const found = [...(used.get(folder) ?? [])].sort();
      const listed = allowed(folder).filter((one) => one !== 'nothing');
      assert.deepEqual(
        found.filter((one) => !listed.includes(one)),
        [],
        `${folder} imports what its row does not allow`,
      );
      if (!may.startsWith('every')) assert.deepEqual(found, listed.sort(), `the row of ${folder} is exact`);
    }
  });

  it('have no circle of folders: each row allows only rows below it', () => {
    for (const [row, folder] of NAMES.entries())
      for (const one of allowed(folder))
        assert.ok(
          one === 'nothing' || one === 'sandbox' || NAMES.indexOf(one) > row,
          `${folder} must stand above ${one}`,
        );
  });

  it('have no circle of files, types included', () => {
    const open: string[] = [];
    const done = new Set<string>();
    const visit = (file: string): void => {
      assert.ok(!open.includes(file), `a circle: ${[...open.slice(open.indexOf(file)), file].join(' → ')}`);
      if (done.has(file)) return;
      open.push(file);
      for (const { from, to } of own) if (from === file) visit(to);
      open.pop();
      done.add(file);
    };
    for (const file of files) visit(file);
  });

  it('describe the wire with the schema library alone', () => {
    const schemas = imports.filter(({ from }) => from.endsWith('schema.ts'));
    assert.ok(schemas.length > 20, 'the schemas are found');
    const packages = schemas.filter(({ to }) => !to.endsWith('.ts'));
    assert.deepEqual([...new Set(packages.map(({ to }) => to))], ['typebox']);
  });

  it('read the environment in one file, and name the platform only there, where the parts are put together, and in its connector', () => {
    const mention = (word: RegExp) => files.filter((file) => word.test(textOf(file)));
    assert.deepEqual(mention(/process\.env\b/), ['config/config.ts']);
    // As the value of `platform`: in the list of platforms, and as what old rows get.
    const values = ['api/platforms.ts', 'db/migrations/0011-platforms.ts'];
    const allowed = ['config/platform.ts', 'app.ts', ...values];
    const named = mention(/tiktok/i).filter(
      (file) => !allowed.includes(file) && !file.startsWith('connectors/'),
    );
    assert.deepEqual(named, []);
  });
});

describe('the sandbox', () => {
  it('imports nothing of the service', () => {
    const folder = join(ROOT, 'sandbox/src');
    const sandbox = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    assert.ok(sandbox.length > 10);
    const targets = sandbox.flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)].map(([, a, b, c]) => a ?? b ?? c),
    );
    assert.deepEqual(
      targets.filter((target) => target?.startsWith('..') || target?.startsWith('@airdate/')),
      [],
    );
  });
});

describe('ARCHITECTURE.md', () => {
  it('shows the table of imports as it is', () => {
    const rows = FOLDERS.map(([folder, may]) => `| ${folder} | ${may} |`);
    const table = ['| folder | may import |', '| --- | --- |', ...rows].join('\n');
    const file = join(ROOT, 'ARCHITECTURE.md');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    assert.ok(text.includes(table), `ARCHITECTURE.md must hold this table:\n\n${table}\n`);
  });
});

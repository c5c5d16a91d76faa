// Which folder may import which, for server, sdk and web; shown in ARCHITECTURE.md and web/README.md.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkImports, type Folders, readSources, tableOf, targetsIn } from './sources/import-rules.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SANDBOX = '@airdate/sandbox';

export const FOLDERS: Folders = [
  ['(top)', 'every folder, sandbox'],
  ['http', 'every folder below, sandbox'],
  [
    'worker',
    'publishing, assets, posts, identity, accounts, events, object-deletion, work, request, app, db, core',
  ],
  ['operator', 'publishing, posts, identity, audit, request, app, restore-safety, object-store, db, core'],
  [
    'publishing',
    'assets, posts, accounts, analytics, events, audit, work, request, app, restore-safety, connectors, db, config, core',
  ],
  ['assets', 'posts, object-deletion, audit, quotas, work, request, app, object-store, db, core'],
  [
    'posts',
    'accounts, analytics, events, object-deletion, audit, quotas, request, app, connectors, object-store, db, core',
  ],
  ['identity', 'events, audit, quotas, request, app, db, config, core'],
  ['accounts', 'events, audit, quotas, work, request, app, connectors, db, core'],
  ['analytics', 'quotas, request, app, db, core'],
  ['events', 'audit, work, request, app, db, core'],
  ['object-deletion', 'app, object-store, db, core'],
  ['audit', 'request, app, db, core'],
  ['quotas', 'request, app, db, config, core'],
  ['work', 'app, db, core'],
  ['request', 'app, connectors, db, config, core'],
  ['app', 'restore-safety, connectors, object-store, db, config, core'],
  ['restore-safety', 'object-store, db, core'],
  ['connectors', 'nothing'],
  ['object-store', 'config, core'],
  ['db', 'core'],
  ['config', 'nothing'],
  ['core', 'nothing'],
];

const WEB_FOLDERS: Folders = [
  ['(top)', 'every folder'],
  ['shell', 'uploads, auth, ui, api, text'],
  ['library', 'post, publish, accounts, labels, uploads, ui, api, text'],
  ['calendar', 'publish, accounts, uploads, ui, api, text'],
  ['composer', 'publish, accounts, labels, snippets, uploads, ui, api, text'],
  ['post', 'publish, accounts, labels, ui, api, text'],
  ['publish', 'accounts, ui, api, text'],
  ['accounts', 'ui, api, text'],
  ['analytics', 'ui, api, text'],
  ['settings', 'auth, ui, api, text'],
  ['auth', 'ui, api, text'],
  ['labels', 'ui, api'],
  ['snippets', 'ui, api'],
  ['uploads', 'ui, api, text'],
  ['ui', 'api, text'],
  ['api', 'text'],
  ['text', 'nothing'],
];

const SDK_FOLDERS: Folders = [
  ['(top)', 'every folder'],
  ['resources', 'upload, client'],
  ['upload', 'client'],
  ['client', 'nothing'],
];

const server = readSources(join(ROOT, 'server/src'));

describe('the sources of the server', () => {
  const { files, imports, textOf } = server;
  checkImports(server, FOLDERS, (name) => (name.startsWith(SANDBOX) ? 'sandbox' : undefined));

  it('describe the wire with the schema library alone', () => {
    const schemas = imports.filter(({ from }) => from.endsWith('schema.ts'));
    assert.ok(schemas.length > 20, 'the schemas are found');
    const packages = schemas.filter(({ isOwn }) => !isOwn);
    assert.deepEqual([...new Set(packages.map(({ to }) => to))], ['typebox']);
  });

  it('read the environment in one file, and name the platform only there, where the parts are put together, and in its connector', () => {
    const mention = (word: RegExp) => files.filter((file) => word.test(textOf(file)));
    assert.deepEqual(mention(/process\.env\b/), ['config/config.ts']);
    // As the value of `platform`: in the list of platforms, and as what a row gets that names none.
    const values = [
      'request/platforms.ts',
      'db/migrations/first-schema/accounts.ts',
      'db/migrations/first-schema/publishing.ts',
    ];
    const allowed = ['config/platform.ts', 'open-app.ts', ...values];
    const named = mention(/tiktok/i).filter(
      (file) => !allowed.includes(file) && !file.startsWith('connectors/'),
    );
    assert.deepEqual(named, []);
  });
});

describe('the sources of the dashboard', () => {
  checkImports(readSources(join(ROOT, 'web/src')), WEB_FOLDERS);
});

describe('the sources of the SDK', () => {
  checkImports(readSources(join(ROOT, 'sdk/src')), SDK_FOLDERS);
});

describe('the sandbox', () => {
  it('imports nothing of the service', () => {
    const folder = join(ROOT, 'sandbox/src');
    const sandbox = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    assert.ok(sandbox.length > 10);
    const targets = sandbox.flatMap((file) => targetsIn(readFileSync(join(folder, file), 'utf8')));
    assert.deepEqual(
      targets.filter((target) => target.startsWith('..') || target.startsWith('@airdate/')),
      [],
    );
  });
});

describe('the table of imports', () => {
  const shown = [
    ['ARCHITECTURE.md', FOLDERS],
    ['web/README.md', WEB_FOLDERS],
  ] as const;
  for (const [file, folders] of shown)
    it(`is in ${file}, as it is`, () => {
      const table = tableOf(folders);
      const text = readFileSync(join(ROOT, file), 'utf8');
      assert.ok(text.includes(table), `${file} must hold this table:\n\n${table}\n`);
    });
});

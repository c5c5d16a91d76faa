// A newer version of the program, for the upgrade: a copy of the compiled modules with one more migration, which changes a table that every
// request uses. The version of this repository is then the old one, and has to run on the new schema until it is replaced.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../product.mjs';

const MIGRATION = `{
  name: 'deployment-trial',
  statements: () => ['alter table posts add column deployment_trial integer'],
}`;

/** Returns the path of its main.js. */
export function buildNewerVersion(parent) {
  const dir = join(parent, 'newer');
  mkdirSync(join(dir, 'server/dist'), { recursive: true });
  for (const shared of ['node_modules', 'web', 'docs']) symlinkSync(join(root, shared), join(dir, shared));
  cpSync(join(root, 'server/package.json'), join(dir, 'server/package.json'));
  cpSync(join(root, 'server/dist/src'), join(dir, 'server/dist/src'), { recursive: true });
  const passwords = 'server/src/core/common-passwords.bin';
  cpSync(join(root, passwords), join(dir, passwords));
  const list = join(dir, 'server/dist/src/db/migrations/index.js');
  const text = readFileSync(list, 'utf8');
  const changed = text.replace(/,?\s*\];/, `, ${MIGRATION}];`);
  if (changed === text) throw new Error('the list of migrations could not be extended');
  writeFileSync(list, changed);
  return join(dir, 'server/dist/src/main.js');
}

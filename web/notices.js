// The licences of what the dashboard ships of others, as they ask for: collected from the packages whose modules are in the build.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;
const LICENCE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

export const notices = () => ({
  name: 'notices',
  apply: 'build',
  generateBundle() {
    const folders = new Set();
    // Files that only the build needs are virtual, and begin with a NUL.
    for (const id of this.getModuleIds()) {
      const folder = id.startsWith('\0') ? null : PACKAGE.exec(id)?.[1];
      if (folder) folders.add(folder);
    }
    this.emitFile({ type: 'asset', fileName: 'NOTICES.txt', source: noticesOf([...folders]) });
  },
});

function noticesOf(folders) {
  const packages = folders.map(packageAt).sort((a, b) => (a.title < b.title ? -1 : 1));
  const parts = packages.map(({ title, licence, texts }) => [`${title} (${licence})`, ...texts].join('\n\n'));
  const line = '-'.repeat(80);
  return `${[HEAD, ...parts].join(`\n\n${line}\n\n`)}\n`;
}

const HEAD = 'The dashboard of Airdate contains the following software of others.';

function packageAt(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => LICENCE.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (typeof license !== 'string') throw new Error(`${name} does not say under which licence it is`);
  const by = typeof author === 'string' ? author : author?.name;
  return {
    title: `${name} ${version}`,
    licence: license,
    // A few packages name their licence, and leave its text out.
    texts: texts.length > 0 ? texts : [`Copyright (c) ${by ?? `the authors of ${name}`}`],
  };
}

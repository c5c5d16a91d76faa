// Import rules of a package: which folder may import which, as data, held against the import lines of its sources.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

/**
 * A folder, and which others it may import, types included. Each may import only rows below its own, so there are no circles.
 * A new folder needs a row: that is the moment to think about where it belongs.
 */
export type Folders = readonly (readonly [folder: string, mayImport: string])[];

export interface Import {
  from: string;
  /** A file of the package, or the name of another package. */
  to: string;
  /** Of the same package. */
  isOwn: boolean;
}

export interface Sources {
  files: readonly string[];
  imports: readonly Import[];
  textOf: (file: string) => string;
}

const IMPORT = /^(?:import|export)\b[^;'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

/** What the import lines of a text name. */
export const targetsIn = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, a, b, c]) => a ?? b ?? c ?? '');

export function readSources(folder: string): Sources {
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
  );
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
  const imports = files.flatMap((from) =>
    targetsIn(textOf(from)).map((target): Import => {
      if (!target.startsWith('.')) return { from, to: target, isOwn: false };
      const path = join(from, '..', target);
      const to = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((file) =>
        files.includes(file),
      );
      // A style sheet, or data, is not part of the order.
      return { from, to: to ?? path, isOwn: to !== undefined || path.endsWith('.js') };
    }),
  );
  return { files, imports, textOf };
}

const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : '(top)');

/** The tests. `folderOfPackage` says as which folder another package counts; undefined if it is free to all. */
export function checkImports(
  { files, imports }: Sources,
  folders: Folders,
  folderOfPackage: (name: string) => string | undefined = () => undefined,
): void {
  const names = folders.map(([folder]) => folder);
  const own = imports.filter(({ isOwn }) => isOwn);
  const packages = new Set(imports.flatMap(({ to, isOwn }) => (isOwn ? [] : (folderOfPackage(to) ?? []))));

  /** What a folder may import, spelled out. */
  function allowed(folder: string): string[] {
    const row = names.indexOf(folder);
    return (folders[row]?.[1] ?? '')
      .split(', ')
      .flatMap((one) => (one.startsWith('every folder') ? names.slice(row + 1) : one));
  }

  it('lie in the folders of the table, and every row has files', () => {
    assert.ok(own.length > files.length / 2, 'the import lines are found');
    assert.deepEqual([...new Set(files.map(folderOf))].sort(), [...names].sort());
    assert.deepEqual(
      own.filter(({ to }) => !files.includes(to)),
      [],
    );
  });

  it('import only what the table allows, and every allowance is used', () => {
    const used = new Map(names.map((name) => [name, new Set<string>()]));
    for (const { from, to, isOwn } of imports) {
      const target = isOwn ? folderOf(to) : folderOfPackage(to);
      if (target !== undefined && target !== folderOf(from)) used.get(folderOf(from))?.add(target);
    }
    for (const [folder, may] of folders) {
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
    for (const [row, folder] of names.entries())
      for (const one of allowed(folder))
        assert.ok(
          one === 'nothing' || packages.has(one) || names.indexOf(one) > row,
          `${folder} must stand above ${one}`,
        );
  });

  it('have no circle of sub-folders of one folder; a folder and its own parent may import each other', () => {
    const edges = own.flatMap(({ from, to }) => siblingsOf(from, to));
    assertNoCircle(edges);
  });

  it('have no circle of files, types included', () => assertNoCircle(own));
}

/** The sub-folders of one folder that two files lie in, if they lie in different ones. */
function siblingsOf(from: string, to: string): { from: string; to: string }[] {
  const [a, b] = [from, to].map((file) => file.split('/').slice(0, -1)) as [string[], string[]];
  const depth = a.findIndex((folder, n) => folder !== b[n]);
  // The folders of the top are in the table; a path that ends here is the parent.
  if (depth < 1 || b[depth] === undefined) return [];
  const [one, other] = [a, b].map((path) => path.slice(0, depth + 1).join('/')) as [string, string];
  return [{ from: one, to: other }];
}

function assertNoCircle(edges: readonly { from: string; to: string }[]): void {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const open: string[] = [];
  const done = new Set<string>();
  const visit = (one: string): void => {
    assert.ok(!open.includes(one), `a circle: ${[...open.slice(open.indexOf(one)), one].join(' → ')}`);
    if (done.has(one)) return;
    open.push(one);
    for (const to of next.get(one) ?? []) visit(to);
    open.pop();
    done.add(one);
  };
  for (const one of next.keys()) visit(one);
}

/** The table as a document must show it. */
export const tableOf = (folders: Folders): string =>
  [
    '| folder | may import |',
    '| --- | --- |',
    ...folders.map(([folder, may]) => `| ${folder} | ${may} |`),
  ].join('\n');

// Libraries that decode the files of strangers run in processes of their own: one that loops, crashes or takes gigabytes takes nothing
// else with it. So nothing that the program loads may load one of them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const DECODERS = ['sharp', 'mediabunny'];
/** The programs of those processes, which are started and never imported. */
const CHILDREN = ['server/src/assets/media/child.ts', 'sandbox/src/media-child.ts'];

/** Imports of values, also those made later; imports of types alone are gone in what runs. */
const IMPORT =
  /^(?:import|export)\s+(?!type\b)[^;'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)|\brequire\w*\([^)]*\)\(\s*'([^']+)'|\brequire\('([^']+)'\)/gm;

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map((found) => found.slice(1).find((one) => one !== undefined) as string);
}

function fileOf(from: string, target: string): string | null {
  if (target.startsWith('@airdate/sandbox/'))
    return `sandbox/src/${target.slice('@airdate/sandbox/'.length).replace(/\.js$/, '.ts')}`;
  if (!target.startsWith('.')) return null;
  return relative(ROOT, join(ROOT, dirname(from), target)).replace(/\.js$/, '.ts');
}

/** Every file that is loaded with one of these, and what loads a decoder among them. */
function reachable(entries: string[]): { files: Set<string>; decoders: string[] } {
  const files = new Set<string>();
  const decoders: string[] = [];
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || !existsSync(join(ROOT, file))) continue;
    files.add(file);
    for (const target of importsOf(file)) {
      if (DECODERS.includes(target)) decoders.push(`${file} imports ${target}`);
      const next = fileOf(file, target);
      if (next) waiting.push(next);
    }
  }
  return { files, decoders };
}

describe('Decoders of media', () => {
  it('are loaded by nothing that the program itself loads', () => {
    const { files, decoders } = reachable(['server/src/main.ts']);
    assert.ok(
      files.has('server/src/assets/media/read-in-child.ts') && files.has('sandbox/src/media-inspector.ts'),
    );
    assert.deepEqual(decoders, []);
    for (const child of CHILDREN) assert.ok(!files.has(child), `${child} is imported`);
  });

  it('are found where they are loaded', () => {
    for (const child of CHILDREN) assert.ok(reachable([child]).decoders.length >= 2, child);
  });
});

// Circles of files: the strongly connected parts of the graph of imports that have more than one file.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { optionsOf, sourcesIn, ts } from './sources.mjs';

export function circlesIn(workspace) {
  const folder = join(workspace, 'src');
  const options = optionsOf(workspace);
  const files = sourcesIn(folder);
  const imports = new Map(files.map((file) => [file, importsOf(file, options, new Set(files))]));
  return strongParts(imports)
    .filter((part) => part.length > 1)
    .map((part) => part.map((file) => relative(folder, file)).sort())
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Types, re-exports and lazy imports included. */
function importsOf(file, options, files) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles
    .map(
      ({ fileName }) =>
        ts.resolveModuleName(fileName, file, options, ts.sys).resolvedModule?.resolvedFileName,
    )
    .filter((target) => files.has(target));
}

/** Tarjan's algorithm. */
function strongParts(graph) {
  const parts = [];
  const open = [];
  const seen = new Map();
  const visit = (node) => {
    const here = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(node, here);
    open.push(node);
    for (const next of graph.get(node)) {
      const there = seen.get(next) ?? visit(next);
      if (there.isOpen) here.low = Math.min(here.low, there.low);
    }
    if (here.low === here.index) {
      const part = open.splice(open.indexOf(node));
      for (const one of part) seen.get(one).isOpen = false;
      parts.push(part);
    }
    return here;
  };
  for (const node of graph.keys()) if (!seen.has(node)) visit(node);
  return parts;
}

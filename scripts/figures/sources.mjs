// The sources as the compiler sees them. The compiler that builds Airdate (TypeScript 7) has no stable programming interface, so
// this is TypeScript 5, which the SDK's generator of types brings along.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const ts = createRequire(new URL('../../sdk/package.json', import.meta.url))('typescript');

export const isTest = (file) => /\.test\.tsx?$/.test(file);

/** Sorted, so that nothing depends on the order of a file system. */
export function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

export const sourcesIn = (folder) => filesIn(folder).filter((file) => !isTest(file));

/** The compiler options of a workspace, without those for output. */
export function optionsOf(workspace) {
  const { config, error } = ts.readConfigFile(join(workspace, 'tsconfig.json'), ts.sys.readFile);
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, workspace);
  return {
    ...options,
    composite: false,
    incremental: false,
    declaration: false,
    sourceMap: false,
    noEmit: true,
  };
}

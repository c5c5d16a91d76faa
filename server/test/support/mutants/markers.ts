// The lines of the server where a mistake can be planted. A marker names each: `// mutant: NAME` at its end or, where the
// formatter would move it, alone on the line above. The mistakes are in mutations.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

const SOURCES = fileURLToPath(new URL('../../../../src', import.meta.url));
const MARKER = /\/\/ mutant: ([a-z-]+)$/;

/** What a mistake makes of the marked line. */
export type Change = (line: string) => string;

export interface Marker {
  name: string;
  /** Below server/src. */
  file: string;
  /** Of the marked line in the file, from 0. */
  index: number;
}

/** All markers of the server's sources. */
export function findMarkers(): Marker[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      linesOf(file).flatMap((line, index) => {
        const [marker, name] = MARKER.exec(line) ?? [];
        if (marker === undefined || name === undefined) return [];
        return { name, file, index: line.trim() === marker ? index + 1 : index };
      }),
    );
}

const linesOf = (file: string) => readFileSync(join(SOURCES, file), 'utf8').split('\n');

/** Changes the named lines of the sources; returns what the compiler makes of each file that has one. */
export function plant(
  changes: Readonly<Record<string, Change>>,
  markers: readonly Marker[] = findMarkers(),
): Map<string, string> {
  const planted = new Map<string, string[]>();
  for (const [name, change] of Object.entries(changes)) {
    const [marker, ...others] = markers.filter((one) => one.name === name);
    if (!marker || others.length > 0)
      throw new Error(
        `the marker ${name} is there ${others.length + (marker ? 1 : 0)} times instead of once`,
      );
    const { file, index } = marker;
    const lines = planted.get(file) ?? linesOf(file);
    const before = (lines[index] as string).replace(MARKER, '').trimEnd();
    lines[index] = change(before);
    if (lines[index] === before) throw new Error(`the mistake changes nothing at ${name}:\n${before}`);
    planted.set(file, lines);
  }
  return new Map([...planted].map(([file, lines]) => [file, compiled(file, lines.join('\n'))]));
}

function compiled(file: string, source: string): string {
  const { code, errors } = transformSync(file, source, { lang: 'ts', target: 'es2023' });
  if (errors.length > 0)
    throw new Error(`${file} with a mistake planted does not compile: ${errors[0]?.message}`);
  return code;
}

/** The line is gone. */
export const removed: Change = () => '';

/** Other code stands before the line. */
export const preceded =
  (code: string): Change =>
  (line) =>
    `${code}\n${line}`;

/** The whole line is other code. */
export const replaced =
  (code: string): Change =>
  () =>
    code;

/** A part of the line is another. */
export const changed =
  (from: string | RegExp, to: string): Change =>
  (line) =>
    line.replace(from, to);

/** What a declaration, an assignment or a return gives is something else. */
export const valued = (value: string): Change => changed(/(= |return )[^;]*;/, `$1${value};`);

/** The line's `if` asks something else. */
export const ifOnly =
  (condition: string | ((old: string) => string)): Change =>
  (line) => {
    const start = line.indexOf('if (') + 'if ('.length;
    let end = start;
    for (let depth = 1; depth > 0 && end < line.length; end++)
      depth += { '(': 1, ')': -1 }[line[end] as string] ?? 0;
    const old = line.slice(start, end - 1);
    const asked = typeof condition === 'string' ? condition : condition(old);
    return `${line.slice(0, start)}${asked}${line.slice(end - 1)}`;
  };

// What runs when, read from the sources of the tests: `node server/dist/test/run.js --tiers [words of paths…]`.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../../../../test', import.meta.url));
const WIDTH = 150;

/** `everyday(…)` with what its parenthesis holds, as one line. */
function callAt(text: string, parenthesis: number): string {
  let end = parenthesis;
  for (let depth = 1; depth > 0 && ++end < text.length; )
    depth += { '(': 1, ')': -1 }[text[end] as string] ?? 0;
  const given = text
    .slice(parenthesis + 1, end)
    .replace(/\s+/g, ' ')
    .replace(/([([]) | (?=[)\]])/g, '$1')
    .replace(/,(?=[)\]])|^ |, $/g, '');
  return `everyday(${given.length > WIDTH ? `${given.slice(0, WIDTH)} …` : given})`;
}

export interface Tiers {
  engines: Set<string>;
  /** What there is less of on ordinary days. */
  less: string[];
  inProofs: string[];
}

export function tiersIn(text: string): Tiers {
  const found: Tiers = { engines: new Set(), less: [], inProofs: [] };
  const calls = text.matchAll(/(?:(\w+)(?:: [^=\n]+)? = )?\beveryday(?:<[^\n]*?>)?\(/g);
  for (const { 0: call, 1: name, index } of calls)
    found.less.push(`${name ? `${name} = ` : ''}${callAt(text, index + call.length - 1)}`);
  for (const [, engine] of text.matchAll(/\bonEngines\('(\w+)'/g)) found.engines.add(engine as string);
  for (const [, , title] of text.matchAll(/\bitInProofs\(\s*(['"`])(.*)\1,/g))
    found.inProofs.push(title as string);
  for (const [, condition] of text.matchAll(/= (.+) \? it : itInProofs\b/g))
    found.inProofs.push(`what is not ${condition}`);
  return found;
}

/** By folder: the engines of its files, what there is less of, and which tests wait for the proofs. */
export function printTiers(words: readonly string[]): string {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && words.every((word) => file.includes(word)))
    // It calls what it tests.
    .filter((file) => file !== 'rules/test-tiers.test.ts')
    .sort();
  const lines: string[] = [];
  for (const folder of new Set(files.map(dirname))) {
    const inside = files
      .filter((file) => dirname(file) === folder)
      .map((file) => ({
        name: basename(file, '.test.ts'),
        ...tiersIn(readFileSync(join(TESTS, file), 'utf8')),
      }));
    lines.push(folder);
    const isProof = (name: string) => name.endsWith('.proof');
    const list = (what: string, names: string[]) =>
      names.length > 0 && lines.push(`  ${what}: ${names.join(', ')}`);
    const daily = inside.filter(({ name }) => !isProof(name));
    for (const [engine, what] of [
      ['both', 'every day on both engines'],
      ['sqlite', 'on SQLite, in the proofs on both'],
      ['postgres', 'on Postgres, in the proofs on both'],
    ] as const)
      list(
        what,
        daily.filter(({ engines }) => engines.has(engine)).map(({ name }) => name),
      );
    list('only in the proofs', inside.map(({ name }) => name).filter(isProof));
    for (const { name, less, inProofs } of daily) {
      for (const one of less) lines.push(`  ${name}: ${one}`);
      for (const title of inProofs) lines.push(`  ${name}, only in the proofs: ${title}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

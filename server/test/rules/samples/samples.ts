// The samples of the documents: fenced blocks, found by heading. The words after a sample's language say whether the tests run it:
//   run                    they do
//   run receiver.mjs       they write it to this file, which other samples of the page use
//   run POST /posts        JSON: they send it there
//   not run: <reason>      they cannot
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));

/** What could be run; other blocks show a file or a drawing. */
export const LANGUAGES = ['sh', 'bash', 'js', 'ts', 'python', 'json'];

/** The documents that a person follows by typing. */
export const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/import.md',
  ...readdirSync(join(ROOT, 'docs/guides'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guides/${name}`),
];

export interface Sample {
  language: string;
  /** What stands after the language. */
  mark: string;
  text: string;
}

export interface Section {
  title: string;
  /** How many # its heading has. */
  rank: number;
  /** Its own samples, without those of the sections below it. */
  samples: Sample[];
}

export const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');

/** Every section in the order of the document. A # inside a block is a comment, and no heading. */
export function sections(markdown: string): Section[] {
  const found: Section[] = [];
  let block: { language: string; mark: string; lines: string[] } | null = null;
  for (const line of markdown.split('\n')) {
    const fence = /^```(\w*)(?: (.+))?$/.exec(line.trimEnd());
    const heading = /^(#{1,6}) (.+)$/.exec(line);
    if (block && fence) {
      const { language, mark, lines } = block;
      found.at(-1)?.samples.push({ language, mark, text: `${lines.join('\n')}\n` });
      block = null;
    } else if (block) block.lines.push(line);
    else if (fence) block = { language: fence[1] ?? '', mark: fence[2] ?? '', lines: [] };
    else if (heading)
      found.push({ title: heading[2] as string, rank: (heading[1] as string).length, samples: [] });
  }
  assert.equal(block, null, 'the document ends inside a block');
  return found;
}

/** The section with this heading, and those below it. */
export function sectionsUnder(title: string, all: Section[]): Section[] {
  const matching = all.filter((section) => section.title === title);
  assert.equal(matching.length, 1, `there are ${matching.length} headings "${title}" instead of one`);
  const start = all.indexOf(matching[0] as Section);
  const rank = (matching[0] as Section).rank;
  const length = all.slice(start + 1).findIndex((section) => section.rank <= rank);
  return all.slice(start, length === -1 ? undefined : start + 1 + length);
}

export const samplesOf = (document: string): Sample[] =>
  sections(textOf(document)).flatMap(({ samples }) => samples);

export const isRun = ({ mark }: Sample): boolean => /^run( |$)/.test(mark);
export const isTyped = (sample: Sample): boolean => sample.language === 'sh' && isRun(sample);

/** The shell samples under this heading, as one script. */
export function shellUnder(document: string, title: string): string {
  const under = sectionsUnder(title, sections(textOf(document)));
  const typed = under.flatMap(({ samples }) => samples.filter(isTyped));
  assert.ok(typed.length > 0, `${document} has nothing to type under "${title}"`);
  return typed.map(({ text }) => text).join('\n');
}

/** The script with some of the document's texts replaced; each of them must be in it. */
export function withTexts(script: string, texts: Record<string, string>): string {
  return Object.entries(texts).reduce((changed, [text, replacement]) => {
    assert.ok(script.includes(text), `the document does not say ${text} there any more`);
    return changed.replaceAll(text, replacement);
  }, script);
}

// The shell commands of README.md, found by heading.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const README = new URL('../../../../README.md', import.meta.url);

export interface Section {
  title: string;
  /** How many # its heading has. */
  rank: number;
  /** Its own shell blocks, without those of the sections below it. */
  blocks: string[];
}

/** Every section in the order of the file. A # inside a block is a comment, and no heading. */
export function sections(markdown = readFileSync(README, 'utf8')): Section[] {
  const found: Section[] = [];
  let block: { isShell: boolean; lines: string[] } | null = null;
  for (const line of markdown.split('\n')) {
    const fence = /^```(\w*)\s*$/.exec(line);
    const heading = /^(#{1,6}) (.+)$/.exec(line);
    if (block && fence) {
      if (block.isShell) found.at(-1)?.blocks.push(`${block.lines.join('\n')}\n`);
      block = null;
    } else if (block) block.lines.push(line);
    else if (fence) block = { isShell: fence[1] === 'sh', lines: [] };
    else if (heading)
      found.push({ title: heading[2] as string, rank: (heading[1] as string).length, blocks: [] });
  }
  assert.equal(block, null, 'README.md ends inside a block');
  return found;
}

/** The section with this heading, and those below it. */
export function sectionsUnder(title: string, all = sections()): Section[] {
  const matching = all.filter((section) => section.title === title);
  assert.equal(matching.length, 1, `README.md has ${matching.length} headings "${title}" instead of one`);
  const start = all.indexOf(matching[0] as Section);
  const rank = (matching[0] as Section).rank;
  const length = all.slice(start + 1).findIndex((section) => section.rank <= rank);
  return all.slice(start, length === -1 ? undefined : start + 1 + length);
}

/** The shell blocks under this heading, as one script. */
export function shellUnder(title: string): string {
  const blocks = sectionsUnder(title).flatMap((section) => section.blocks);
  assert.ok(blocks.length > 0, `README.md has nothing to type under "${title}"`);
  return blocks.join('\n');
}

/** The script with some of the README's texts replaced; each of them must be in it. */
export function withTexts(script: string, texts: Record<string, string>): string {
  return Object.entries(texts).reduce((changed, [text, replacement]) => {
    assert.ok(script.includes(text), `README.md does not say ${text} there any more`);
    return changed.replaceAll(text, replacement);
  }, script);
}

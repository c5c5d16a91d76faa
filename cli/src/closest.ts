// What a misspelt word was meant to be.

/** Words that are further away were not meant. */
const MAX_TYPOS = 3;

export function closest<Word extends string>(wrong: string, words: readonly Word[]): Word | undefined {
  const [best] = words
    .map((word) => ({ word, typos: typosBetween(wrong.toLowerCase(), word) }))
    .filter(({ typos, word }) => typos <= Math.min(MAX_TYPOS, word.length / 3))
    .sort((a, b) => a.typos - b.typos);
  return best?.word;
}

/** Letters that are missing, added or replaced. */
function typosBetween(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1];
    for (let j = 1; j <= b.length; j++)
      row.push(
        Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (letter === b[j - 1] ? 0 : 1)),
      );
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0;

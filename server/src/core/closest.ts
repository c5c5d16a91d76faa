// What a misspelt name was meant to be.

/** Longer names are compared with nothing: each comparison costs the product of both lengths. */
const MAX_LENGTH = 40;

/** The name that is at most two typos away, fewer for a short one; undefined if none is. */
export function closest(wrong: string, names: readonly string[]): string | undefined {
  if (wrong.length > MAX_LENGTH) return undefined;
  const allowed = Math.min(2, Math.floor((wrong.length + 1) / 3));
  let best: { name: string; typos: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - wrong.length) > allowed) continue;
    const typos = typosBetween(wrong.toLowerCase(), name.toLowerCase());
    if (typos <= allowed && typos < (best?.typos ?? Number.POSITIVE_INFINITY)) best = { name, typos };
  }
  return best?.name;
}

/** A letter that is missing, added, replaced or swapped with the next is one typo. */
function typosBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const typos = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      row.push(isSwapped ? Math.min(typos, at(beforeLast, j - 2) + 1) : typos);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0;

// Which column a misspelt name means.
import { COLUMNS } from './columns.js';

/** In the names that people give to columns, spaces and dashes stand for what we write as `_`. */
const plain = (name: string) => name.replace(/[\s-]+/g, '_');

/** Null if none is close. */
export function nearestColumn(name: string): string | null {
  const typed = plain(name);
  let best: string | null = null;
  let least = 1 + Math.min(2, Math.floor(typed.length / 3));
  for (const column of COLUMNS.keys()) {
    if (Math.abs(column.length - typed.length) >= least) continue;
    const steps = distance(typed, column);
    if (steps < least) [best, least] = [column, steps];
  }
  return best;
}

/** How many letters are missing, too many, or different; two that were swapped count once. */
function distance(one: string, two: string): number {
  let before: number[] = [];
  let row = Array.from({ length: two.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= two.length; j++) {
      const isSame = one[i - 1] === two[j - 1];
      const steps = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1)];
      if (one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1]) steps.push((before[j - 2] ?? i) + 1);
      next.push(Math.min(...steps));
    }
    [before, row] = [row, next];
  }
  return row[two.length] ?? 0;
}

// The rows of a benchmark: what was measured, its goal, and whether it was met. Printed as one table at the end.

interface Row {
  what: string;
  measured: string;
  goal: string;
  met: boolean;
}

const rows: Row[] = [];
/** Lines below the table, such as lateness histograms. */
const lines: string[] = [];

/** Shows progress on stderr; the result is the table on stdout at the end. */
function add(row: Row): void {
  rows.push(row);
  process.stderr.write(`${row.what}: ${row.measured} (${row.goal || 'no goal'})\n`);
}

export const note = (what: string, measured: string): void => add({ what, measured, goal: '', met: true });

export function atLeast(what: string, share: number, goal: number): void {
  add({ what, measured: share.toFixed(2), goal: `≥ ${goal}`, met: share >= goal });
}

export function atMost(what: string, value: number, goal: number, unit: string, digits = 2): void {
  const measured = `${value.toFixed(digits)} ${unit}`.trimEnd();
  add({ what, measured, goal: `≤ ${goal} ${unit}`.trimEnd(), met: value <= goal });
}

export const addBelow = (...more: string[]): void => void lines.push(...more);

/** Prints the table. The process fails if a goal was missed. */
export function print(): void {
  process.stdout.write('| What | Measured | Goal | |\n|---|---|---|---|\n');
  for (const { what, measured, goal, met } of rows)
    process.stdout.write(`| ${what} | ${measured} | ${goal} | ${met ? '' : 'missed'} |\n`);
  if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}`);
  if (rows.some((row) => !row.met)) process.exitCode = 1;
}

// A CSV file as a table whose cells can be corrected. The API reads the file; this only has to agree with it about which cell is
// which.

export type Table = readonly (readonly string[])[];

const SEPARATORS = [',', ';', '\t'];

/** Every line, empty ones too: line n of a problem is `table[n - 1]`. */
export function parseTable(file: string): Table {
  const text = file.replace(/^\ufeff/, '');
  const header = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  const most = (best: string, one: string) =>
    header.split(one).length > header.split(best).length ? one : best;
  const separator = SEPARATORS.reduce(most);
  const lines: string[][] = [];
  for (let at = 0; at < text.length; ) {
    const cells: string[] = [];
    for (;;) {
      const [cell, end] = readCell(text, at, separator);
      cells.push(cell);
      at = end;
      if (text[at] !== separator) break;
      at++;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    lines.push(cells);
  }
  return lines;
}

function readCell(text: string, start: number, separator: string): [cell: string, end: number] {
  let close = start;
  if (text[start] === '"') {
    close = text.indexOf('"', start + 1);
    while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    if (close === -1) return [text.slice(start), text.length];
    close++;
  }
  let end = close;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
  if (close === start) return [text.slice(start, end), end];
  const rest = text.slice(close, end);
  return [text.slice(start + 1, close - 1).replaceAll('""', '"') + rest, end];
}

export const toCsv = (table: Table): string =>
  table
    .map((cells) => (cells.every((cell) => cell === '') ? '' : cells.map(quoted).join(',')))
    .map((line) => `${line}\r\n`)
    .join('');

const quoted = (cell: string) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const columnOf = (table: Table, name: string): number =>
  (table[0] ?? []).findIndex((cell) => cell.trim().toLowerCase() === name);

/** Where a column is: the last of this name, which is the one too many. -1 if there is none. The API cuts names to 60 characters. */
export const columnNamed = (table: Table, name: string): number =>
  (table[0] ?? []).findLastIndex((cell) => cell.trim().toLowerCase().slice(0, 60) === name);

export const headerAt = (table: Table, at: number): string => table[0]?.[at] ?? '';

export const withColumn = (table: Table, at: number, name: string): Table =>
  table.map((cells, i) => (i === 0 ? cells.map((cell, j) => (j === at ? name : cell)) : cells));

export const cellAt = (table: Table, line: number, column: string): string =>
  table[line - 1]?.[columnOf(table, column)] ?? '';

/** The lines with a post that has a time or is to be scheduled, and nothing in this column. */
export const linesLacking = (table: Table, column: string): number[] =>
  table.flatMap((_, i) => {
    const cell = (name: string) => cellAt(table, i + 1, name).trim();
    const isPlanned = cell('scheduled_at') !== '' || cell('status') === 'scheduled';
    return i > 0 && isPlanned && cell(column) === '' ? [i + 1] : [];
  });

/** How many posts are scheduled without any file. */
export const scheduledWithoutMedia = (table: Table, defaultStatus: string | undefined): number =>
  table.filter((_, i) => {
    const cell = (name: string) => cellAt(table, i + 1, name).trim();
    const given = cell('status').toLowerCase();
    const status = given === '' && cell('scheduled_at') !== '' ? defaultStatus : given;
    return i > 0 && status === 'scheduled' && cell('media_urls') === '';
  }).length;

/** The lines below the header that say this in a column. */
export const linesWith = (table: Table, column: string, text: string): number[] => {
  const at = columnOf(table, column);
  return table.flatMap((cells, i) => (i > 0 && cells[at]?.trim() === text.trim() ? [i + 1] : []));
};

/** With the cell of some lines changed; a column that is not there yet is added. */
export function withCells(table: Table, lines: readonly number[], column: string, value: string): Table {
  const changing = new Set(lines);
  const known = columnOf(table, column);
  const header = table[0] ?? [];
  const at = known === -1 ? header.length : known;
  const set = (cells: readonly string[], cell: string) => {
    const changed = Array.from({ length: Math.max(cells.length, at + 1) }, (_, i) => cells[i] ?? '');
    changed[at] = cell;
    return changed;
  };
  return table.map((cells, i) => {
    if (changing.has(i + 1)) return set(cells, value);
    return i === 0 && known === -1 ? set(cells, column) : cells;
  });
}

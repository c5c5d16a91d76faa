// Reads CSV (RFC 4180), as spreadsheets write it: with or without a byte order mark, separated by commas, semicolons or tabs,
// and with any kind of line break.

export interface CsvLine {
  /** As spreadsheets count: the header is line 1, and a cell with line breaks is part of one line. */
  line: number;
  cells: string[];
  /** What is wrong with the quotation marks, and in which cell, from 0. */
  fault: { cell: number; message: string } | null;
}

const SEPARATORS = [',', ';', '\t'] as const;
type Separator = (typeof SEPARATORS)[number];

const END_OF_CELL: Record<Separator, RegExp> = { ',': /[,\r\n]/g, ';': /[;\r\n]/g, '\t': /[\t\r\n]/g };

/** Line by line, so that the reader can pause. Lines without any text are left out, but counted. */
export function* readCsv(text: string): Generator<CsvLine> {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const separator = separatorOf(text, at);
  for (let line = 1; at < text.length; line++) {
    const cells: string[] = [];
    let fault: CsvLine['fault'] = null;
    for (;;) {
      const cell = text[at] === '"' ? quotedCell(text, at, separator) : plainCell(text, at, separator);
      if (cell.fault !== undefined) fault ??= { cell: cells.length, message: cell.fault };
      cells.push(withoutGuard(cell.value));
      at = cell.end;
      if (text[at] !== separator) break;
      at++;
    }
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    if (fault !== null || cells.some((cell) => cell.trim() !== '')) yield { line, cells, fault };
  }
}

interface Cell {
  value: string;
  /** Where the separator, the line break or the end of the text is. */
  end: number;
  fault?: string;
}

function plainCell(text: string, start: number, separator: Separator): Cell {
  const end = endOfCell(text, start, separator);
  return { value: text.slice(start, end), end };
}

function quotedCell(text: string, start: number, separator: Separator): Cell {
  let close = text.indexOf('"', start + 1);
  // A doubled quotation mark is part of the text.
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1)
    return { value: '', end: text.length, fault: 'begins with a quotation mark that is never closed' };
  const value = text.slice(start + 1, close).replaceAll('""', '"');
  const end = endOfCell(text, close + 1, separator);
  return end === close + 1
    ? { value, end }
    : { value, end, fault: 'has text after its closing quotation mark' };
}

function endOfCell(text: string, start: number, separator: Separator): number {
  const pattern = END_OF_CELL[separator];
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

/** The one that the header has most of. */
function separatorOf(text: string, start: number): Separator {
  const end = text.slice(start).search(/[\r\n]/);
  const header = end === -1 ? text.slice(start) : text.slice(start, start + end);
  const count = (separator: Separator) => header.split(separator).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** Exports put an apostrophe before what a spreadsheet would take for a formula. */
const withoutGuard = (cell: string) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

// Reads CSV (RFC 4180), as spreadsheets write it: with or without a byte order mark, separated by commas, semicolons or tabs,
// and with any kind of line break. What no table of posts needs is refused when it is met, before more is read.
import { invalid } from '../../core/problems.js';
import type { Sliced } from '../../core/slices.js';

export const MAX_COLUMNS = 100;
/** In UTF-16 units. */
export const MAX_CELL = 64 * 1024;

export interface CsvLine {
  /** The line as spreadsheets count: the header is line 1, and a cell with line breaks is part of one line. */
  line: number;
  cells: string[];
  /** What is wrong with the quotation marks, and in which cell, from 0. */
  fault: { cell: number; message: string } | null;
}

const SEPARATORS = [',', ';', '\t'] as const;
type Separator = (typeof SEPARATORS)[number];

const END_OF_CELL: Record<Separator, RegExp> = { ',': /[,\r\n]/g, ';': /[;\r\n]/g, '\t': /[\t\r\n]/g };

/** What one unit of a slice pays for: a cell and its first characters, each further piece of it, or a run of empty lines. */
const CHARACTERS_PER_UNIT = 256;
const EMPTY_LINES_PER_UNIT = 64;

export class CsvReader {
  private readonly text: string;
  private readonly separator: Separator;
  private at: number;
  private line = 1;

  constructor(text: string) {
    this.text = text;
    this.at = text.startsWith('\ufeff') ? 1 : 0;
    this.separator = separatorOf(text, this.at);
  }

  /** The next line with any text; null at the end. Lines without are left out, but counted. */
  *next(): Sliced<CsvLine | null> {
    for (;;) {
      yield* this.skipEmptyLines();
      if (this.at >= this.text.length) return null;
      const line = yield* this.readLine();
      if (line.fault !== null || line.cells.some(hasText)) return line;
    }
  }

  private *skipEmptyLines(): Sliced<void> {
    const { text } = this;
    for (let n = 1; text[this.at] === '\r' || text[this.at] === '\n'; n++) {
      this.endLine();
      if (n % EMPTY_LINES_PER_UNIT === 0) yield 1;
    }
  }

  private *readLine(): Sliced<CsvLine> {
    const text = this.text;
    const separator = this.separator;
    const line = this.line;
    const cells: string[] = [];
    let fault: CsvLine['fault'] = null;
    for (;;) {
      if (cells.length === MAX_COLUMNS) throw tooLarge(line, `must have at most ${MAX_COLUMNS} columns`);
      const cell =
        text[this.at] === '"' ? quotedCell(text, this.at, separator) : plainCell(text, this.at, separator);
      if (cell === null) throw tooLarge(line, `column ${cells.length + 1} ${LONG_CELL}`);
      if (cell.fault !== undefined) fault ??= { cell: cells.length, message: cell.fault };
      cells.push(cell.value);
      yield 1 + Math.floor(cell.value.length / CHARACTERS_PER_UNIT);
      this.at = cell.end;
      if (text[this.at] !== separator) break;
      this.at++;
    }
    this.endLine();
    return { line, cells, fault };
  }

  private endLine(): void {
    this.at += this.text[this.at] === '\r' && this.text[this.at + 1] === '\n' ? 2 : 1;
    this.line++;
  }
}

const hasText = (cell: string) => cell.trim() !== '';

const LONG_CELL = `must have at most ${MAX_CELL} characters; is a quotation mark missing?`;

const tooLarge = (line: number, message: string) =>
  invalid([{ pointer: '/csv', message: `line ${line}: ${message}` }]);

interface Cell {
  value: string;
  /** Where the separator, the line break or the end of the text is. */
  end: number;
  fault?: string;
}

/** These return null if the cell is too long. */
function plainCell(text: string, start: number, separator: Separator): Cell | null {
  const end = endOfCell(text, start, separator);
  return end - start > MAX_CELL ? null : { value: text.slice(start, end), end };
}

function quotedCell(text: string, start: number, separator: Separator): Cell | null {
  let close = text.indexOf('"', start + 1);
  // A doubled quotation mark is part of the text.
  while (close !== -1 && close - start <= MAX_CELL && text[close + 1] === '"')
    close = text.indexOf('"', close + 2);
  if (close === -1)
    return { value: '', end: text.length, fault: 'begins with a quotation mark that is never closed' };
  const end = endOfCell(text, close + 1, separator);
  if (end - start > MAX_CELL) return null;
  const value = text.slice(start + 1, close).replaceAll('""', '"');
  return end === close + 1
    ? { value, end }
    : { value, end, fault: 'has text after its closing quotation mark' };
}

function endOfCell(text: string, start: number, separator: Separator): number {
  const pattern = END_OF_CELL[separator];
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

/** The one that the header has most of, as far as a cell may reach. */
function separatorOf(text: string, start: number): Separator {
  const [header = ''] = text.slice(start, start + MAX_CELL).split(/[\r\n]/, 1);
  const count = (separator: Separator) => header.split(separator, MAX_COLUMNS + 1).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

// CSV as spreadsheets read it (RFC 4180), safe to open in them. An import of what was exported restores every text as it was.

type Cell = string | number | boolean | null;

/**
 * A spreadsheet runs text that begins with one of these signs, or their full-width forms, as a formula. With another separator
 * than ours, or without quotation marks, it also takes what follows a semicolon, a tab or a line break for a cell. Quotation marks
 * and spaces before the sign don't prevent it.
 */
const FORMULA = `(?<=^|[;\\t\\r\\n])%(?=['" ]*[=+@\\-\\uff1d\\uff0b\\uff0d\\uff20])`;
/** A spreadsheet may skip a tab or carriage return at the beginning; and an import takes spaces alone for no text. */
const START = `^%(?=['" ]*[\\t\\r]|(?!$)'*\\s*$)`;
const patternWith = (mark: string) => new RegExp(`${START}|${FORMULA}`.replaceAll('%', mark), 'g');

const UNGUARDED = patternWith('');
const GUARDED = patternWith("'");

const NEEDS_QUOTES = /[",;\t\r\n]/;

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;

function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = value.replace(UNGUARDED, "'");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of a cell without the apostrophes that an export puts before what a spreadsheet would take for a formula. */
export const withoutGuards = (cell: string): string => cell.replace(GUARDED, '');

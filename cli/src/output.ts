// What the program prints: data on stdout, as a table for people and as JSON lines for programs; words on stderr.
import { stripVTControlCharacters } from 'node:util';
import { formatTime } from './time.js';

export interface Column<T> {
  title: string;
  value(row: T): unknown;
  /** The longest that is shown; the rest is cut. */
  width?: number;
}

export const column = <T>(title: string, value: (row: T) => unknown, width?: number): Column<T> => ({
  title,
  value,
  ...(width === undefined ? {} : { width }),
});

interface Choices {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

const WIDEST = 60;
const BOLD = '\u001b[1m';
const RED = '\u001b[31m';
const PLAIN = '\u001b[0m';

export class Output {
  readonly isJson: boolean;
  readonly isQuiet: boolean;

  constructor({ json, quiet }: Choices = {}) {
    this.isJson = json === true || !process.stdout.isTTY;
    this.isQuiet = quiet === true;
  }

  /** One object. */
  object(object: object): void {
    if (this.isJson) return line(object);
    const entries = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
    const width = Math.max(...entries.map(([name]) => name.length));
    for (const [name, value] of entries)
      process.stdout.write(`${bold(name.padEnd(width))}  ${cell(forPeople(name, value))}\n`);
  }

  /** Objects that are all known. */
  table<T extends object>(rows: readonly T[], columns: readonly Column<T>[]): void {
    if (this.isJson) {
      for (const row of rows) line(row);
      return;
    }
    if (rows.length === 0) return this.say('There are none.');
    const cells = rows.map((row) => columns.map(({ value, width }) => cut(cell(value(row)), width)));
    const widths = columns.map(({ title }, i) =>
      Math.max(title.length, ...cells.map((row) => (row[i] ?? '').length)),
    );
    process.stdout.write(
      `${bold(
        aligned(
          columns.map(({ title }) => title),
          widths,
        ),
      )}\n`,
    );
    for (const row of cells) process.stdout.write(`${aligned(row, widths)}\n`);
  }

  /** One of many objects that come one after another. */
  row<T extends object>(row: T, columns: readonly Column<T>[]): void {
    if (this.isJson) return line(row);
    const cells = columns.map(({ value, width }) => cut(cell(value(row)), width).padEnd(width ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }

  /** Words for a person who watches. */
  say(words: string): void {
    if (!this.isQuiet) process.stderr.write(`${words}\n`);
  }

  /** Words that must be read. */
  warn(words: string): void {
    process.stderr.write(`${hasColor(process.stderr) ? RED + words + PLAIN : words}\n`);
  }
}

const TIMES = /_(at|until|since|slot)$/;

/** Times as in tables. */
const forPeople = (name: string, value: unknown): unknown =>
  typeof value === 'string' && TIMES.test(name) ? formatTime(value) : value;

/** Objects are printed as the API sends them. */
function line(object: object): void {
  process.stdout.write(`${printable(JSON.stringify(object))}\n`);
}

/** Texts of posts must not steer the terminal. */
const printable = (json: string): string =>
  json.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return stripVTControlCharacters(text).replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');
}

const cut = (text: string, width = WIDEST): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

const aligned = (cells: string[], widths: number[]): string =>
  cells
    .map((text, i) => text.padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd();

const bold = (text: string): string => (hasColor(process.stdout) ? BOLD + text + PLAIN : text);

const hasColor = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** As it is typed in a command that a message names. */
export const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

// Columns of a file that the import does not know: what each can be instead. Pure.
import { headerAt, type Table } from './csv.js';

/** Those that the API reads; a test compares them. */
export const COLUMNS: readonly string[] = [
  'title',
  'post_type',
  'caption',
  'hashtags',
  'media_urls',
  'status',
  'scheduled_at',
  'account',
  'social_account_id',
  'privacy_level',
  'publish_mode',
  'disable_comment',
  'disable_duet',
  'disable_stitch',
  'brand_content_toggle',
  'brand_organic_toggle',
  'labels',
  'cover_index',
  'cover_ms',
];

/** The columns that no other one of the file is yet, the likeliest first. */
export function freeColumns(table: Table, at: number, likely: readonly string[]): string[] {
  const others = new Set(
    (table[0] ?? []).flatMap((name, i) => (i === at ? [] : [name.trim().toLowerCase()])),
  );
  const free = COLUMNS.filter((name) => !others.has(name));
  return [...free.filter((name) => likely.includes(name)), ...free.filter((name) => !likely.includes(name))];
}

/** With one column named in place of another, which has its own name again. */
export const withNameAt = (table: Table, at: number, name: string, before: number, own: string): Table =>
  table.map((cells, i) =>
    i === 0 ? cells.map((cell, j) => (j === at ? name : j === before ? own : cell)) : cells,
  );

/** Without some columns: their names, and their cells in every line. */
export const withoutColumns = (table: Table, left: ReadonlySet<number>): Table =>
  left.size === 0 ? table : table.map((cells) => cells.filter((_, at) => !left.has(at)));

/** The columns that have a name, by their places. */
export const namedColumns = (table: Table): { at: number; name: string }[] =>
  (table[0] ?? []).flatMap((_, at) => {
    const name = headerAt(table, at).trim();
    return name === '' ? [] : [{ at, name }];
  });

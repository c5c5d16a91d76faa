// Lists: as many entries as asked for, and a word if there are more.
import type { List } from '@airdate/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { action, type Context } from './context.js';
import type { Column } from './output.js';

export interface Limits {
  limit?: number;
  all?: boolean;
}

const MAX_PER_PAGE = 100;
const DEFAULT_LIMIT = 50;

/** The options of a command that prints a list. */
export const withLimits = (command: Command): Command =>
  command
    .option('--limit <count>', `print at most this many; default: ${DEFAULT_LIMIT}`, parsePositive)
    .option('--all', 'print all of them');

interface PerPage {
  per_page: number;
}

/** The action of such a command without other options. */
export const listing = <T extends { id: string }>(
  columns: readonly Column<T>[],
  read: (context: Context, page: PerPage, ...args: string[]) => List<T>,
) =>
  action((context, options: Limits, ...args: string[]) =>
    printList(context, options, (page) => read(context, page, ...args), columns),
  );

export async function printList<T extends { id: string }>(
  { output }: Context,
  { limit, all }: Limits,
  read: (page: PerPage) => List<T>,
  columns: readonly Column<T>[],
): Promise<void> {
  const max = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
  const rows: T[] = [];
  let count = 0;
  for await (const row of read({ per_page: Math.min(max + 1, MAX_PER_PAGE) })) {
    if (++count > max) break;
    // Programs get each page as it comes; a table needs its widths first.
    if (output.isJson) output.row(row, columns);
    else rows.push(row);
  }
  if (!output.isJson) output.table(rows, columns);
  // Who gave a limit has asked for no more.
  if (count > max && limit === undefined) output.say('There are more: see --limit and --all.');
}

export function parsePositive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

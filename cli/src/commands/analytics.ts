import type { DataOf, QueryOf } from '@airdate/sdk';
import type { Command } from 'commander';
import { action, type Context } from '../context.js';
import { usage } from '../exit.js';
import { type Column, column } from '../output.js';
import { timeZone } from '../time.js';

type Day = DataOf<'getTimeline'>['days'][number];

const seconds = (ms: number | null): string => (ms === null ? '' : `${(ms / 1000).toFixed(1)} s`);

const COLUMNS: Column<Day>[] = [
  column('DAY', ({ date }) => date),
  column('CREATED', ({ posts_created }) => posts_created),
  column('PUBLISHED', ({ posts_published }) => posts_published),
  column('FAILED', ({ dispatches }) => dispatches.failed),
  column('UNKNOWN', ({ dispatches }) => dispatches.unknown),
  column('SUCCESS', ({ success_rate }) => (success_rate === null ? '' : `${success_rate} %`)),
  column('LATE (MEDIAN)', ({ lateness_p50_ms }) => seconds(lateness_p50_ms)),
];

interface Options {
  byDay?: boolean;
  from?: string;
  to?: string;
  timeZone?: string;
}

export function addAnalytics(program: Command): void {
  program
    .command('analytics')
    .description('show how many posts there are, and how publishing them went')
    .option('--by-day', 'print one line per day; by default the last 30 days')
    .option('--from <day>', 'the first day, such as 2026-12-01')
    .option('--to <day>', 'the last day')
    .option('--time-zone <zone>', 'time zone of the days; default: that of this computer')
    .addHelpText(
      'after',
      `
Available on the Growth and Agency plans and during the trial; exits with 4 otherwise.

Examples:
  $ airdate analytics
  $ airdate analytics --by-day --from 2026-12-01 --to 2026-12-24`,
    )
    .action(action(analytics));
}

async function analytics(context: Context, options: Options): Promise<void> {
  const { airdate, output, signal } = context;
  const { byDay, from, to, timeZone: zone } = options;
  if (!byDay) {
    if (from || to || zone) throw usage('--from, --to and --time-zone need --by-day.');
    return output.object(await airdate.analytics.summary({ signal }));
  }
  const query: QueryOf<'getTimeline'> = {
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    time_zone: zone ?? timeZone(),
  };
  output.table((await airdate.analytics.timeline(query, { signal })).days, COLUMNS);
}

import type { Event } from '@airdate/sdk';
import type { Command } from 'commander';
import { action } from '../context.js';
import { type Column, column } from '../output.js';
import { formatTime } from '../time.js';

const EVENT_COLUMNS: Column<Event>[] = [
  column('ID', ({ id }) => id, 14),
  column('TIME', ({ created_at }) => formatTime(created_at), 16),
  column('TYPE', ({ type }) => type, 21),
  column('ABOUT', ({ data }) => subjectOf(data), 36),
  column('DETAIL', ({ data }) => detailOf(data)),
];

function subjectOf(data: Event['data']): string {
  if ('post_id' in data) return data.post_id;
  if ('webhook_id' in data) return data.webhook_id;
  return data.username ?? data.social_account_id;
}

function detailOf(data: Event['data']): string | null | undefined {
  if ('error_message' in data) return data.error_message;
  if ('post_url' in data) return data.post_url;
  return 'reason' in data ? data.reason : undefined;
}

const BEFORE_ALL = 'evt_000000000';

const GAP = 'Events after that one have expired, so some are missing here.';

export function addEvents(program: Command): void {
  program
    .command('events')
    .description('list what happened in the last 30 days, oldest first')
    .option('--after <event>', 'only what happened after this event')
    .option('-f, --follow', 'keep printing new events until Ctrl-C')
    .addHelpText(
      'after',
      `
--follow alone begins with new events; with --after, it also prints everything since that event.

Examples:
  $ airdate events --follow
  $ airdate events --after evt_00000001z --json`,
    )
    .action(
      action(async ({ airdate, output, signal }, options: { after?: string; follow?: boolean }) => {
        if (options.follow) {
          output.say('Waiting for events. Press Ctrl-C to stop.');
          const onGap = () => output.say(GAP);
          for await (const event of airdate.events.follow({ after: options.after, signal, onGap }))
            output.row(event, EVENT_COLUMNS);
        }
        for (let after = options.after ?? BEFORE_ALL; ; ) {
          const { data, has_more, gap } = await airdate.events.page({ after }, { signal });
          // Without --after it lists what there is.
          if (gap && options.after !== undefined) output.say(GAP);
          for (const event of data) output.row(event, EVENT_COLUMNS);
          const last = data.at(-1);
          if (!last || !has_more) return;
          after = last.id;
        }
      }),
    );
}

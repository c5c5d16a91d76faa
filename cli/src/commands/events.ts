import type { Event, EventType } from '@airdate/sdk';
import type { Command } from 'commander';
import { action, type Context } from '../context.js';
import { eventTypeOption } from '../event-types.js';
import { parsePositive } from '../listing.js';
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
    .addOption(eventTypeOption())
    .option('--limit <count>', 'print at most this many; default: all', parsePositive)
    .option('-f, --follow', 'keep printing new events until Ctrl-C')
    .addHelpText(
      'after',
      `
--follow alone begins with new events; with --after, it also prints everything since that event.

Examples:
  $ airdate events --follow
  $ airdate events --after evt_00000001z --json
  $ airdate events --type post.publish_failed post.outcome_unknown`,
    )
    .action(action(events));
}

interface Options {
  after?: string;
  type?: EventType[];
  limit?: number;
  follow?: boolean;
}

async function events(context: Context, options: Options): Promise<void> {
  const { type: types, limit = Number.POSITIVE_INFINITY } = options;
  let count = 0;
  for await (const event of options.follow ? followed(context, options) : listed(context, options)) {
    if (types && !types.includes(event.type)) continue;
    context.output.row(event, EVENT_COLUMNS);
    if (++count === limit) return;
  }
}

function followed({ airdate, output, signal }: Context, { after }: Options): AsyncIterable<Event> {
  output.say('Waiting for events. Press Ctrl-C to stop.');
  return airdate.events.follow({ after, signal, onGap: () => output.say(GAP) });
}

async function* listed({ airdate, output, signal }: Context, options: Options): AsyncGenerator<Event> {
  for (let after = options.after ?? BEFORE_ALL; ; ) {
    const { data, has_more, gap } = await airdate.events.page({ after }, { signal });
    // Without --after it lists what there is.
    if (gap && options.after !== undefined) output.say(GAP);
    yield* data;
    const last = data.at(-1);
    if (!last || !has_more) return;
    after = last.id;
  }
}

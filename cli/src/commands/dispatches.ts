import type { Dispatch, QueryOf } from '@airdate/sdk';
import type { Command } from 'commander';
import { resolveAccountId } from '../account-id.js';
import { action, type Context } from '../context.js';
import { usage } from '../exit.js';
import { type Limits, printList, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';
import { formatTime } from '../time.js';

const COLUMNS: Column<Dispatch>[] = [
  column('STARTED', ({ started_at }) => formatTime(started_at), 16),
  column('OUTCOME', ({ outcome }) => outcome, 9),
  column('TRIGGER', ({ trigger }) => trigger, 9),
  column('POST', ({ post_id }) => post_id, 36),
  column('ERROR', ({ error_message }) => error_message),
];

interface Options extends Limits {
  outcome?: string;
  account?: string;
  post?: string;
  follow?: boolean;
}

export function addDispatches(program: Command): void {
  withLimits(program.command('dispatches'))
    .description('list attempts to publish, newest first')
    .option(
      '--outcome <list>',
      'started, accepted, published, in_inbox, failed, unknown; separate several with commas',
    )
    .option('--account <name>', 'only attempts for this account: user name or id')
    .option('--post <id>', 'only attempts to publish this post')
    .option('-f, --follow', 'print attempts as they end, until Ctrl-C')
    .addHelpText(
      'after',
      '\nExamples:\n  $ airdate dispatches --outcome failed,unknown\n  $ airdate dispatches --follow',
    )
    .action(
      action(async (context, options: Options) => {
        const { post } = options;
        if (post !== undefined && !options.follow && (options.outcome ?? options.account) !== undefined)
          throw usage('Give --post without --outcome and --account: a post has few attempts.');
        const account =
          options.account === undefined ? undefined : await resolveAccountId(context, options.account);
        if (options.follow) return follow(context, { outcomes: options.outcome?.split(','), account, post });
        const { airdate, signal } = context;
        if (post !== undefined)
          return printList(
            context,
            options,
            (page) => airdate.posts.dispatches(post, page, { signal }),
            COLUMNS,
          );
        const query: QueryOf<'listDispatches'> = {
          // The service says which words there are.
          ...(options.outcome ? { outcome: options.outcome as Dispatch['outcome'] } : {}),
          ...(account ? { social_account_id: account } : {}),
        };
        await printList(
          context,
          options,
          (page) => airdate.dispatches.list({ ...query, ...page }, { signal }),
          COLUMNS,
        );
      }),
    );
}

interface Wanted {
  outcomes: string[] | undefined;
  account: string | undefined;
  post: string | undefined;
}

/** Each event about the end of an attempt names it. */
async function follow(context: Context, { outcomes, account, post }: Wanted): Promise<void> {
  const { airdate, output, signal } = context;
  output.say('Waiting for attempts to end. Press Ctrl-C to stop.');
  for await (const { data } of airdate.events.follow({ signal })) {
    if (!('dispatch_id' in data) || data.dispatch_id === null) continue;
    const dispatch = await airdate.dispatches.get(data.dispatch_id, { signal });
    if (outcomes && !outcomes.includes(dispatch.outcome)) continue;
    if (account && account !== dispatch.social_account_id) continue;
    if (post && post !== dispatch.post_id) continue;
    output.row(dispatch, COLUMNS);
  }
}

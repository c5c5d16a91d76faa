import type { SocialAccount } from '@airdate/sdk';
import type { Command } from 'commander';
import { resolveAccountId } from '../account-id.js';
import { type Confirmed, confirmOrExit, withYes } from '../ask.js';
import { action } from '../context.js';
import { listing, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';
import { formatTime } from '../time.js';

const COLUMNS: Column<SocialAccount>[] = [
  column('ID', ({ id }) => id),
  column('NAME', ({ username }) => username),
  column('STATUS', ({ status, blocked_until }) => {
    if (blocked_until === null) return status;
    // It ends when the platform has taken a post again, not when the time is over.
    const isOver = Date.parse(blocked_until) <= Date.now();
    return isOver ? 'blocked, next post is tried' : `blocked until ${formatTime(blocked_until)}`;
  }),
  column('PLATFORM', ({ platform }) => platform),
  column('EXPIRES', ({ authorization_expires_at }) => formatTime(authorization_expires_at)),
];

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('manage connected accounts');
  withLimits(accounts.command('list', { isDefault: true }))
    .description('list accounts')
    .action(listing(COLUMNS, ({ airdate, signal }, page) => airdate.accounts.list(page, { signal })));
  accounts
    .command('connect')
    .description('print the URL of the page where a creator gives access')
    .option('--again <name>', 'reconnect this account: user name or id')
    .addHelpText('after', '\nExample:\n  $ airdate accounts connect')
    .action(
      action(async (context, { again }: { again?: string }) => {
        const { airdate, output, signal } = context;
        const body = again === undefined ? {} : { social_account_id: await resolveAccountId(context, again) };
        output.object(await airdate.accounts.connect(body, { signal }));
        output.say('Open the URL in a browser. It works for ten minutes.');
      }),
    );
  accounts
    .command('options')
    .description('show what an account may do now: privacy levels, limits')
    .argument('<name>', 'user name or id')
    .action(
      action(async (context, _options: object, name: string) => {
        const { airdate, output, signal } = context;
        output.object(
          await airdate.accounts.creatorOptions(await resolveAccountId(context, name), { signal }),
        );
      }),
    );
  accounts
    .command('unblock')
    .description('try again to publish to an account that the platform has blocked')
    .argument('<name>', 'user name or id')
    .action(
      action(async (context, _options: object, name: string) => {
        const { airdate, output, signal } = context;
        output.object(await airdate.accounts.unblock(await resolveAccountId(context, name), { signal }));
        output.say('One waiting post goes first. The others follow once it is accepted.');
      }),
    );
  withYes(accounts.command('disconnect'))
    .description('disconnect an account and revoke the access to it')
    .argument('<name>', 'user name or id')
    .action(
      action(async (context, { yes }: Confirmed, name: string) => {
        const id = await resolveAccountId(context, name);
        await confirmOrExit(`Disconnect ${name}? Its scheduled posts will not go out.`, yes);
        await context.airdate.accounts.disconnect(id, { signal: context.signal });
        context.output.say(`Disconnected ${name}.`);
      }),
    );
}

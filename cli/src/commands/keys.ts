import type { ApiKey, BodyOf } from '@airdate/sdk';
import { type Command, Option } from 'commander';
import { type Confirmed, confirmOrExit, withYes } from '../ask.js';
import { action } from '../context.js';
import { listing, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';
import { formatTime, parseTime } from '../time.js';

const COLUMNS: Column<ApiKey>[] = [
  column('ID', ({ id }) => id),
  column('NAME', ({ name }) => name, 30),
  column('PREFIX', ({ prefix }) => prefix),
  column('EXPIRES', ({ expires_at }) => formatTime(expires_at)),
  column('LAST USED', ({ last_used_at }) => formatTime(last_used_at)),
  column('SCOPES', ({ scopes }) => scopes.join(' ')),
];

type Body = BodyOf<'createKey'>;
type Scope = NonNullable<Body['scopes']>[number];

const SCOPES: Scope[] = [
  'posts:read',
  'posts:write',
  'posts:publish',
  'analytics:read',
  'accounts:manage',
  'org:manage',
];

export interface KeyOptions {
  name: string;
  scope?: Scope[];
  expires?: string;
}

export const withKeyOptions = (command: Command): Command =>
  command
    .requiredOption('--name <name>', 'what it is for')
    .addOption(new Option('--scope <scope...>', 'what it may do; default: everything').choices(SCOPES))
    .option('--expires <time>', '"2027-01-01 00:00" in the time zone of this computer, or with an offset');

export const keyBody = ({ name, scope, expires }: KeyOptions): Body => ({
  name,
  ...(scope ? { scopes: scope } : {}),
  ...(expires ? { expires_at: parseTime(expires).toISOString() } : {}),
});

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('manage API keys');
  withLimits(keys.command('list', { isDefault: true }))
    .description('list keys')
    .action(listing(COLUMNS, ({ airdate, signal }, page) => airdate.keys.list(page, { signal })));
  withKeyOptions(keys.command('create'))
    .description('create a key; it is shown only once')
    .addHelpText(
      'after',
      "\nExample:\n  $ airdate keys create --name 'Nightly import' --scope posts:read posts:write",
    )
    .action(
      action(async ({ airdate, output, signal }, options: KeyOptions) => {
        output.object(await airdate.keys.create(keyBody(options), { signal }));
        output.say('Store the key now: it is not shown again.');
      }),
    );
  withYes(keys.command('revoke'))
    .description('revoke a key, and what was made with it')
    .argument('<id>')
    .action(
      action(async ({ airdate, output, signal }, { yes }: Confirmed, id: string) => {
        await confirmOrExit('Revoke this key?', yes);
        await airdate.keys.revoke(id, { signal });
        output.say(`Revoked ${id}.`);
      }),
    );
}

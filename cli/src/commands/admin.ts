import type { BodyOf, ManagedOrganization } from '@airdate/sdk';
import { type Command, Option } from 'commander';
import { type Confirmed, confirmOrExit, withYes } from '../ask.js';
import { action } from '../context.js';
import { listing, parsePositive, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';
import { formatTime } from '../time.js';
import { type KeyOptions, keyBody, withKeyOptions } from './keys.js';

const COLUMNS: Column<ManagedOrganization>[] = [
  column('ID', ({ id }) => id),
  column('NAME', ({ name }) => name),
  column('PLAN', ({ plan }) => plan),
  column('TRIAL ENDS', ({ trial_ends_at }) => formatTime(trial_ends_at)),
];

type Plan = BodyOf<'createOrganization'>['plan'];

interface NewOrganization {
  name: string;
  plan: Plan;
  trialDays?: number;
}

interface Release extends Confirmed {
  orphans?: boolean;
  allSlots?: boolean;
}

const plan = () =>
  new Option('--plan <plan>', 'its plan').choices([
    'starter',
    'growth',
    'agency',
    'api_only',
  ] satisfies Plan[]);

export function addAdmin(program: Command): void {
  const admin = program
    .command('admin')
    .description('for the operator, with ADMIN_TOKEN: see `airdate login --admin`');
  withLimits(admin.command('organizations'))
    .description('list organizations')
    .action(listing(COLUMNS, ({ operator, signal }, page) => operator.admin.organizations(page, { signal })));
  admin
    .command('create-organization')
    .description('create an organization')
    .requiredOption('--name <name>', 'its name')
    .addOption(plan().makeOptionMandatory())
    .option('--trial-days <days>', 'length of the trial in days', parsePositive)
    .addHelpText(
      'after',
      "\nExample:\n  $ airdate admin create-organization --name 'The Map Folders' --plan growth",
    )
    .action(
      action(async ({ operator, output, signal }, options: NewOrganization) => {
        const { name, plan, trialDays } = options;
        const body = { name, plan, ...(trialDays === undefined ? {} : { trial_days: trialDays }) };
        output.object(await operator.admin.createOrganization(body, { signal }));
      }),
    );
  admin
    .command('set-plan')
    .description('change the plan of an organization')
    .argument('<id>')
    .addOption(plan().makeOptionMandatory())
    .action(
      action(async ({ operator, output, signal }, options: { plan: Plan }, id: string) =>
        output.object(await operator.admin.updateOrganization(id, { plan: options.plan }, { signal })),
      ),
    );
  withKeyOptions(admin.command('create-key'))
    .description('create a key for an organization; it is shown only once')
    .argument('<organization>', 'its id')
    .action(
      action(async ({ operator, output, signal }, options: KeyOptions, id: string) => {
        output.object(await operator.admin.createKey(id, keyBody(options), { signal }));
        output.say('Store the key now: it is not shown again.');
      }),
    );
  const release = admin
    .command('release')
    .description('end safe mode after a restored backup: publishing resumes')
    .option('--orphans', 'also allow the removal of files without a database row')
    .option('--all-slots', 'also return posts with later slots to draft');
  withYes(release).action(
    action(async ({ operator, output, signal }, { orphans, allSlots, yes }: Release) => {
      await confirmOrExit('Resume publishing?', yes);
      const body = { ...(orphans ? { orphans } : {}), ...(allSlots ? { all_slots: true } : {}) };
      output.object(await operator.admin.release(body, { signal }));
    }),
  );
}

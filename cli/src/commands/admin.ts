import type { BodyOf, ManagedOrganization } from '@airdate/sdk';
import { type Command, Option } from 'commander';
import { confirmOrExit } from '../agree.js';
import { action } from '../context.js';
import { type Limits, parsePositive, printList, withLimits } from '../listing.js';
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
    .action(
      action((context, options: Limits) => {
        const { operator, signal } = context;
        return printList(context, options, (page) => operator.admin.organizations(page, { signal }), COLUMNS);
      }),
    );
  admin
    .command('create-organization')
    .description('create an organization')
    .requiredOption('--name <name>', 'its name')
    .addOption(plan().makeOptionMandatory())
    .option('--trial-days <days>', 'how long it may try everything', parsePositive)
    .addHelpText(
      'after',
      "\nExample:\n  $ airdate admin create-organization --name 'The Map Folders' --plan growth",
    )
    .action(
      action(
        async ({ operator, output, signal }, options: { name: string; plan: Plan; trialDays?: number }) => {
          const { trialDays, ...body } = options;
          const trial = trialDays === undefined ? {} : { trial_days: trialDays };
          output.object(
            await operator.admin.createOrganization(
              { name: body.name, plan: body.plan, ...trial },
              { signal },
            ),
          );
        },
      ),
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
    .description('create a key for an organization; it is printed now and never again')
    .argument('<organization>', 'its id')
    .action(
      action(async ({ operator, output, signal }, options: KeyOptions, id: string) => {
        output.object(await operator.admin.createKey(id, keyBody(options), { signal }));
        output.say('Keep the key: it is not shown again.');
      }),
    );
  admin
    .command('release')
    .description('end safe mode after a restored backup: publishing begins again')
    .option('--orphans', 'also delete files that the database does not know')
    .option('--all-slots', 'also publish posts whose slot has passed')
    .option('-y, --yes', 'do not ask; needed where there is no terminal')
    .action(
      action(
        async (
          { operator, output, signal },
          options: { orphans?: boolean; allSlots?: boolean; yes?: boolean },
        ) => {
          await confirmOrExit('Begin publishing again?', options.yes);
          const body = {
            ...(options.orphans ? { orphans: true } : {}),
            ...(options.allSlots ? { all_slots: true } : {}),
          };
          output.object(await operator.admin.release(body, { signal }));
        },
      ),
    );
}

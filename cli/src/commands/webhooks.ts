import type { EventType, Webhook, WebhookDelivery } from '@airdate/sdk';
import type { Command } from 'commander';
import { type Confirmed, confirmOrExit, withYes } from '../ask.js';
import { action } from '../context.js';
import { eventTypeOption } from '../event-types.js';
import { EXIT } from '../exit.js';
import { listing, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';
import { formatTime, parseTime } from '../time.js';

const COLUMNS: Column<Webhook>[] = [
  column('ID', ({ id }) => id),
  column('ENABLED', ({ enabled }) => (enabled ? 'yes' : 'no')),
  column('FAILING SINCE', ({ failing_since }) => formatTime(failing_since)),
  column('URL', ({ url }) => url),
  column('TYPES', ({ types }) => types?.join(' ') ?? 'all'),
];

const DELIVERIES: Column<WebhookDelivery>[] = [
  column('ID', ({ id }) => id),
  column('STATE', ({ state }) => state),
  column('TYPE', ({ type }) => type),
  column('CREATED', ({ created_at }) => formatTime(created_at)),
];

const STORE_SECRET = 'Store the secret now: it is not shown again.';

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('manage webhook endpoints');
  withLimits(webhooks.command('list', { isDefault: true }))
    .description('list webhooks')
    .action(listing(COLUMNS, ({ airdate, signal }, page) => airdate.webhooks.list(page, { signal })));
  webhooks
    .command('create')
    .description('create a webhook; its secret is shown only once')
    .argument('<url>', 'where events are sent')
    .addOption(eventTypeOption())
    .option('--description <text>', 'what it is for')
    .addHelpText(
      'after',
      '\nExample:\n  $ airdate webhooks create https://example.com/hooks/airdate --type post.published post.publish_failed',
    )
    .action(
      action(async (context, options: { type?: EventType[]; description?: string }, url: string) => {
        const { type, description } = options;
        const body = {
          url,
          ...(type ? { types: type } : {}),
          ...(description ? { description } : {}),
        };
        context.output.object(await context.airdate.webhooks.create(body, { signal: context.signal }));
        context.output.say(STORE_SECRET);
      }),
    );
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    webhooks
      .command(name)
      .description(`${name} a webhook`)
      .argument('<id>')
      .action(
        action(async ({ airdate, output, signal }, _options: object, id: string) =>
          output.object(await airdate.webhooks.update(id, { enabled }, { signal })),
        ),
      );
  webhooks
    .command('test')
    .description('send a test message now')
    .argument('<id>')
    .action(
      action(async ({ airdate, output, signal }, _options: object, id: string) => {
        const result = await airdate.webhooks.test(id, { signal });
        output.object(result);
        if (!result.delivered) process.exitCode = EXIT.failure;
      }),
    );
  withLimits(webhooks.command('deliveries'))
    .description('list the deliveries of a webhook')
    .argument('<id>')
    .action(
      listing(DELIVERIES, ({ airdate, signal }, page, id = '') =>
        airdate.webhooks.deliveries(id, page, { signal }),
      ),
    );
  webhooks
    .command('recover')
    .description('send every event that a webhook has missed since a given time')
    .argument('<id>')
    .requiredOption(
      '--since <time>',
      '"2030-12-01 18:00" in the time zone of this computer, or with an offset',
    )
    .action(
      action(async ({ airdate, output, signal }, { since }: { since: string }, id: string) =>
        output.object(
          await airdate.webhooks.recover(id, { since: parseTime(since).toISOString() }, { signal }),
        ),
      ),
    );
  webhooks
    .command('replay')
    .description('send one delivery of a webhook again')
    .argument('<id>')
    .argument('<delivery>', 'its id: see `airdate webhooks deliveries`')
    .action(
      action(async ({ airdate, output, signal }, _options: object, id: string, delivery: string) =>
        output.object(await airdate.webhooks.replay(id, delivery, { signal })),
      ),
    );
  webhooks
    .command('rotate')
    .description('replace the secret of a webhook; the new one is shown only once')
    .argument('<id>')
    .action(
      action(async ({ airdate, output, signal }, _options: object, id: string) => {
        const webhook = await airdate.webhooks.rotate(id, { signal });
        output.object(webhook);
        const until = formatTime(webhook.previous_secret_until);
        output.say(`${STORE_SECRET} Messages are also signed with the old one until ${until}.`);
      }),
    );
  withYes(webhooks.command('delete'))
    .description('delete a webhook, with the log of its deliveries')
    .argument('<id>')
    .action(
      action(async ({ airdate, output, signal }, { yes }: Confirmed, id: string) => {
        await confirmOrExit('Delete this webhook?', yes);
        await airdate.webhooks.delete(id, { signal });
        output.say(`Deleted ${id}.`);
      }),
    );
}

import type { BodyOf, Label } from '@airdate/sdk';
import { type Command, Option } from 'commander';
import { action } from '../context.js';
import { listing, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';

const COLUMNS: Column<Label>[] = [
  column('ID', ({ id }) => id),
  column('NAME', ({ name }) => name),
  column('COLOUR', ({ colour }) => colour),
];

type Colour = BodyOf<'createLabel'>['colour'];

const COLOURS: Colour[] = ['grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'];

export function addLabels(program: Command): void {
  const labels = program.command('labels').description('manage the labels that posts can have');
  withLimits(labels.command('list', { isDefault: true }))
    .description('list labels by name')
    .addHelpText(
      'after',
      `
\`posts create\`, \`posts update\` and \`posts list\` take the names, or the ids, with --label.

Examples:
  $ airdate labels
  $ airdate labels --json`,
    )
    .action(listing(COLUMNS, ({ airdate, signal }, page) => airdate.labels.list(page, { signal })));
  labels
    .command('create')
    .description('create a label')
    .argument('<name>', 'up to 50 characters')
    .addOption(new Option('--colour <colour>', 'its colour').choices(COLOURS).default('grey'))
    .addHelpText('after', "\nExample:\n  $ airdate labels create 'Campaign: maps' --colour teal")
    .action(
      action(async ({ airdate, output, signal }, { colour }: { colour: Colour }, name: string) =>
        output.object(await airdate.labels.create({ name, colour }, { signal })),
      ),
    );
}

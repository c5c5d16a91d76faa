import type { Label } from '@airdate/sdk';
import type { Command } from 'commander';
import { listing, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';

const COLUMNS: Column<Label>[] = [
  column('ID', ({ id }) => id),
  column('NAME', ({ name }) => name),
  column('COLOUR', ({ colour }) => colour),
];

export function addLabels(program: Command): void {
  const labels = program.command('labels').description('see the labels that posts can have');
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
}

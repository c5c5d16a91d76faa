import type { Command } from 'commander';
import { type Confirmed, confirmOrExit, withYes } from '../ask.js';
import { action, type Context } from '../context.js';
import { usage } from '../exit.js';
import { type Column, cell, column } from '../output.js';
import { filesOf, findFiles, numberOf, type PostFile } from '../post-files.js';
import { sizeText } from '../size.js';
import { formatTime } from '../time.js';

const COLUMNS: Column<PostFile>[] = [
  column('NUMBER', numberOf),
  column('STATE', ({ state }) => state),
  column('FILE', ({ filename }) => filename),
  column('TYPE', (file) => ('content_type' in file ? file.content_type : '')),
  column('SIZE', (file) => ('size' in file ? sizeText(file.size) : '')),
  column('DIMENSIONS', (file) => ('width' in file ? `${file.width}×${file.height}` : '')),
  column('DETAIL', detailOf, 100),
];

function detailOf(file: PostFile): string {
  if (file.state === 'rejected') return file.reason;
  if (file.state === 'pending') return `expected until ${formatTime(file.expires_at)}`;
  return file.duration_ms === null ? '' : `${(file.duration_ms / 1000).toFixed(1)} s`;
}

const FILES = 'numbers of the list, or file names';

export function addFiles(program: Command): void {
  const files = program.command('files').description('see, reorder and remove the files of a post');
  files
    .command('list', { isDefault: true })
    .description('list the files of a post in their order, and those that are still to come or were rejected')
    .argument('<post>', 'id of the post')
    .addHelpText(
      'after',
      '\n`airdate upload` adds files.\n\nExamples:\n  $ airdate files list $ID\n  $ airdate files list $ID --json',
    )
    .action(
      action(async (context, _options: object, post: string) =>
        context.output.table(await readFiles(context, post), COLUMNS),
      ),
    );
  withYes(files.command('remove'))
    .description('remove files from a post permanently; also cancels uploads and dismisses rejected files')
    .argument('<post>', 'id of the post')
    .argument('<file...>', FILES)
    .addHelpText('after', '\nExample:\n  $ airdate files remove $ID 2 old-cover.png --yes')
    .action(action(remove));
  files
    .command('order')
    .description('put the slides of a post into another order; prints them')
    .argument('<post>', 'id of the post')
    .argument('<file...>', `${FILES}: those that come first; the others follow in their order`)
    .addHelpText('after', '\nExample:\n  $ airdate files order $ID 3 1 2')
    .action(action(order));
}

const readFiles = async ({ airdate, signal }: Context, post: string): Promise<PostFile[]> =>
  filesOf(await airdate.posts.assets.list(post, { signal }));

async function remove(context: Context, { yes }: Confirmed, post: string, names: string[]): Promise<void> {
  const { airdate, output, signal } = context;
  // All are found before the first is removed: numbers change with every removal.
  const files = findFiles(await readFiles(context, post), names);
  const list = files.map(({ filename }) => cell(filename)).join(', ');
  await confirmOrExit(`Remove ${list} from the post permanently?`, yes);
  for (const { object_key, filename } of files) {
    await airdate.posts.assets.remove(post, object_key, { signal });
    output.say(`Removed ${cell(filename)}.`);
  }
}

async function order(context: Context, _options: object, post: string, names: string[]): Promise<void> {
  const { airdate, output, signal } = context;
  const all = await readFiles(context, post);
  const first = findFiles(all, names);
  const early = first.find(({ state }) => state !== 'uploaded');
  if (early) throw usage(`${cell(early.filename)} is ${early.state}: only uploaded files have an order.`);
  const others = all.filter((file) => file.state === 'uploaded' && !first.includes(file));
  const keys = [...first, ...others].map(({ object_key }) => object_key);
  const ordered = await airdate.posts.assets.order(post, keys, { signal });
  output.table(filesOf(ordered), COLUMNS);
}

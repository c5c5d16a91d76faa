import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { DataOf, Post } from '@airdate/sdk';
import { Argument, type Command, Option } from 'commander';
import { action, type Context } from '../context.js';
import { EXIT, usage } from '../exit.js';
import { column } from '../output.js';
import { timeZone } from '../time.js';
import { assertFile } from '../upload-files.js';

type Problem = DataOf<'importPosts'>['problems'][number];

const PROBLEMS = [
  column<Problem>('LINE', ({ line, lines }) => (lines > 1 ? `${line} and ${lines - 1} more` : line)),
  column<Problem>('COLUMN', ({ column: name }) => name),
  // What follows says what to send to the API: here that is a flag.
  column<Problem>('PROBLEM', ({ message, parameter }) => (parameter ? message.split(';')[0] : message), 100),
];

/** What answers a problem for the whole file. The time zone is always sent. */
const FLAGS = [
  [
    'default_status',
    'Publish them at their times with --default-status scheduled, or keep drafts with --default-status draft.',
  ],
  ['create_labels', 'Create the unknown labels with --create-labels.'],
] as const;

interface ImportOptions {
  dryRun?: boolean;
  timeZone?: string;
  defaultStatus?: 'scheduled' | 'draft';
  createLabels?: boolean;
  idempotencyKey?: string;
}

export function addImport(program: Command): void {
  program
    .command('import')
    .description('create posts from a CSV file: all lines, or none')
    .argument('<file>', 'path; - is stdin')
    .option('--dry-run', 'only check, and list the problems')
    .option('--time-zone <zone>', 'time zone of times without an offset; default: that of this computer')
    .addOption(
      new Option('--default-status <status>', 'status of lines that have a time and no status').choices([
        'scheduled',
        'draft',
      ]),
    )
    .option('--create-labels', 'create the labels that the file names and that do not exist yet')
    .option('--idempotency-key <key>', 'safe to repeat: the same key creates the posts once')
    .addHelpText(
      'after',
      '\nExits with 3 if the file has problems.\n\nExamples:\n  $ airdate import posts.csv --dry-run\n  $ airdate import posts.csv',
    )
    .action(action(importPosts));
}

async function importPosts(context: Context, options: ImportOptions, file: string): Promise<void> {
  const { airdate, output, signal } = context;
  if (file !== '-') assertFile(file);
  const csv = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  const body = {
    csv,
    time_zone: options.timeZone ?? timeZone(),
    ...(options.defaultStatus ? { default_status: options.defaultStatus } : {}),
    ...(options.createLabels ? { create_labels: true } : {}),
  };
  // The check names every problem by line and column; a refusal could not.
  const check = await airdate.posts.import({ ...body, dry_run: true }, { signal });
  if (check.problem_count > 0) {
    if (output.isJson) output.object({ ...check, dry_run: options.dryRun === true });
    else output.table(check.problems, PROBLEMS);
    const { problem_count, lines } = check;
    output.warn(`${counted(problem_count, 'problem')} in ${counted(lines, 'line')}. Nothing was created.`);
    for (const [parameter, flag] of FLAGS)
      if (check.problems.some((problem) => problem.parameter === parameter)) output.warn(flag);
    process.exitCode = EXIT.refused;
    return;
  }
  if (options.dryRun) {
    output.object(check);
    output.say(`${counted(check.lines, 'post')} can be created.`);
    if (check.local_times > 0)
      output.say(`${counted(check.local_times, 'time')} without an offset: read as ${body.time_zone}.`);
    return;
  }
  const { idempotencyKey } = options;
  output.object(await airdate.posts.import(body, { signal, idempotencyKey }));
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

interface ExportOptions {
  format?: 'csv' | 'ndjson';
  output?: string;
  status?: string;
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description('write all posts, or all attempts, as CSV or JSON lines')
    .addArgument(new Argument('[what]', 'what to export').choices(['posts', 'dispatches']).default('posts'))
    .addOption(
      new Option('--format <format>', 'csv or JSON lines; default: csv, with --json ndjson').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('-o, --output <file>', 'write to this file instead of stdout')
    .option('--status <list>', 'only posts with these statuses; separate several with commas')
    .addHelpText('after', '\nExample:\n  $ airdate export posts --status draft,scheduled -o posts.csv')
    .action(
      action(async ({ airdate, globals, output, signal }, options: ExportOptions, what: string) => {
        const { status, output: path } = options;
        if (globals.json && options.format === 'csv') throw usage('Give --json or --format csv, not both.');
        const format = options.format ?? (globals.json ? 'ndjson' : 'csv');
        const response =
          what === 'dispatches'
            ? await airdate.dispatches.export({ format }, { signal })
            : await airdate.posts.export(
                { format, ...(status ? { status: status as Post['status'] } : {}) },
                { signal },
              );
        const body = Readable.fromWeb(response.body as never);
        if (path === undefined) await pipeline(body, process.stdout, { end: false });
        else await pipeline(body, createWriteStream(path));
        if (path !== undefined) output.say(`Written to ${path}.`);
      }),
    );
}

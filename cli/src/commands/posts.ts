import { AirdateError, type BodyOf, NotFound, type Post, type QueryOf, Unavailable } from '@airdate/sdk';
import { type Command, Option } from 'commander';
import { isId, resolveAccountId } from '../account-id.js';
import { type Confirmed, confirmOrExit, withYes } from '../ask.js';
import { action, type Context } from '../context.js';
import { EXIT, ExitError, usage } from '../exit.js';
import { resolveLabelIds } from '../label-ids.js';
import { type Limits, printList, withLimits } from '../listing.js';
import { type Column, column } from '../output.js';
import { type PostOptions, postFields, withPostOptions } from '../post-options.js';
import { printPost } from '../print-post.js';
import { assertSchedulable, scheduleAt, slotFields } from '../schedule.js';
import { formatTime, parseTime, TIME_HELP } from '../time.js';
import { checkFiles, postTypeFor, sendFiles } from '../upload-files.js';

const COLUMNS: Column<Post>[] = [
  column('ID', ({ id }) => id),
  // Its creator has not posted it yet.
  column('STATUS', ({ status, in_inbox }) => (status === 'posted' && in_inbox ? 'in_inbox' : status)),
  column('TYPE', ({ post_type }) => post_type),
  column('SLOT', ({ scheduled_at }) => formatTime(scheduled_at)),
  column('TITLE', ({ title }) => title),
];

const SORTED_BY = ['created_at', 'updated_at', 'scheduled_at', 'posted_at', 'title'];

export function addPosts(program: Command): Command {
  const posts = program.command('posts').description('write, schedule and publish posts');
  withPostOptions(posts.command('create'))
    .description('create a draft, or with --at a scheduled post; prints the post')
    .requiredOption('--title <text>', 'the title')
    .addOption(
      new Option(
        '--type <type>',
        'slides or video; default: video if --media is one video, otherwise slides',
      ).choices(['slides', 'video']),
    )
    .option('--media <file...>', 'upload these files, slides in this order')
    .option('--at <time>', `schedule it: ${TIME_HELP}`)
    .option('--idempotency-key <key>', 'safe to repeat: the same key creates one post')
    .addHelpText(
      'after',
      `
Files and the time are checked before anything is created. With --at, the draft is printed first, then each file,
then the scheduled post. If it cannot be scheduled after all, the draft stays, and standard error has the command that schedules it.

Examples:
  $ airdate posts create --title 'Five ways to fold a map' --media 1.png 2.png
  $ airdate posts create --title 'December at six' --media 1.png --at '2030-12-01 18:00' --privacy SELF_ONLY
  $ airdate posts create --title 'Tents, tested' --media tents.mp4 --json`,
    )
    .action(action(create));
  withLimits(posts.command('list'))
    .description('list posts, newest first unless sorted otherwise')
    .option('--status <list>', 'draft, scheduled, publishing, posted, archived; separate several with commas')
    .addOption(
      new Option('--outcome <outcome>', 'only posts whose last attempt ended this way').choices([
        'published',
        'in_inbox',
        'failed',
        'unknown',
      ]),
    )
    .option('--search <text>', 'only posts that contain these words')
    .option('--account <name>', 'only posts for this account: user name or id')
    .option('--label <name>', 'only posts with this label: name or id')
    .option('--attention', 'only posts that need attention')
    .addOption(
      new Option('--sort <field>', 'descending with a - before it').choices(
        SORTED_BY.flatMap((field) => [`-${field}`, field]),
      ),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ airdate posts list --status draft,scheduled --all --json
  $ airdate posts list --status scheduled --sort scheduled_at`,
    )
    .action(action(list));
  posts
    .command('get')
    .description('show posts')
    .argument('<id...>')
    .action(
      action(async (context, _options: object, ids: string[]) => {
        const { airdate, signal } = context;
        for (const id of ids) await printPost(context, await airdate.posts.get(id, { signal }));
      }),
    );
  withPostOptions(posts.command('update'))
    .description('change a post')
    .argument('<id>')
    .option('--title <text>', 'the title')
    .action(
      action(async (context, options: PostOptions & { title?: string }, id: string) => {
        const { airdate, signal } = context;
        const fields = await postFields(context, options);
        const title = options.title === undefined ? {} : { title: options.title };
        const changes = { ...fields, ...title };
        if (Object.keys(changes).length === 0)
          throw usage('Say what to change: `airdate posts update --help`.');
        await printPost(context, await airdate.posts.update(id, changes, { signal }));
      }),
    );
  posts
    .command('duplicate')
    .description('copy a post with its files to a new draft; prints the draft')
    .argument('<id>')
    .option('--idempotency-key <key>', 'safe to repeat: the same key creates one draft')
    .action(
      action(async (context, options: { idempotencyKey?: string }, id: string) => {
        const { airdate, output, signal } = context;
        const { idempotencyKey } = options;
        await printPost(context, await airdate.posts.duplicate(id, { signal, idempotencyKey }));
        // A key may write without reading; the copy is there anyway.
        const original = await airdate.posts.get(id, { signal }).catch(() => null);
        if (original?.status === 'publishing')
          output.warn(
            `The original may be on the platform: publishing the copy could put it there twice. See: airdate posts status ${id} --wait`,
          );
      }),
    );
  posts
    .command('archive')
    .description('archive posts; scheduled ones lose their slot')
    .argument('<id...>')
    .action(
      action(async (context, _options: object, ids: string[]) => {
        const { airdate, output, signal } = context;
        assertIds(ids);
        const archived = await airdate.posts.archive(ids, { signal });
        output.object({ archived });
        if (archived < new Set(ids).size) await assertFound(context, ids);
      }),
    );
  posts
    .command('unarchive')
    .description('bring archived posts back')
    .argument('<id...>')
    .action(
      action(async (context, _options: object, ids: string[]) => {
        const { airdate, output, signal } = context;
        assertIds(ids);
        const unarchived = await airdate.posts.unarchive(ids, { signal });
        output.object({ unarchived });
        // One that was not in the archive does not count either.
        if (unarchived < new Set(ids).size) await assertFound(context, ids);
      }),
    );
  withYes(posts.command('delete'))
    .description('delete posts and their files permanently')
    .argument('<id...>')
    .action(
      action(async ({ airdate, output, signal }, { yes }: Confirmed, ids: string[]) => {
        await confirmOrExit(
          `Delete ${ids.length === 1 ? 'this post' : `${ids.length} posts`} permanently?`,
          yes,
        );
        for (const id of ids) {
          await airdate.posts.delete(id, { signal });
          output.say(`Deleted ${id}.`);
        }
      }),
    );
  return posts;
}

const noPost = (ids: string[]): ExitError =>
  new ExitError(EXIT.notFound, `There is no post ${ids.join(', ')}.`);

/** An id that cannot be one is as unknown as any other. */
function assertIds(ids: string[]): void {
  const malformed = ids.filter((id) => !isId(id));
  if (malformed.length > 0) throw noPost(malformed);
}

/** The API skips unknown posts in a batch: here they are named. */
async function assertFound({ airdate, signal }: Context, ids: string[]): Promise<void> {
  const unknown: string[] = [];
  for (const id of new Set(ids))
    await airdate.posts.get(id, { signal }).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      unknown.push(id);
    });
  if (unknown.length > 0) throw noPost(unknown);
}

interface CreateOptions extends PostOptions {
  title: string;
  type?: BodyOf<'createPost'>['post_type'];
  media?: string[];
  at?: string;
  idempotencyKey?: string;
}

async function create(context: Context, options: CreateOptions): Promise<void> {
  const { airdate, output, signal } = context;
  const { title, media = [], idempotencyKey } = options;
  checkFiles(media);
  const type = postTypeFor(media, options.type);
  const at = options.at === undefined ? undefined : parseTime(options.at);
  const given = await postFields(context, options);
  // What is missing for the slot is told before there is a draft.
  const fields = at === undefined ? given : await slotFields(context, given);
  if (at !== undefined) await assertSchedulable(context, at);
  const post = await airdate.posts.create(
    { title, ...(type ? { post_type: type } : {}), ...fields },
    { signal, idempotencyKey },
  );
  // Printed first: what follows may fail, and the post is there.
  await printPost(context, post);
  let isUploaded = false;
  try {
    await sendFiles(context, post.id, media);
    isUploaded = true;
    if (at !== undefined) await scheduleAt(context, post.id, at);
  } catch (error) {
    if (options.at !== undefined) output.warn(howToSchedule(post.id, options.at, isUploaded, error));
    throw error;
  }
}

/** After `create --at` has left a draft behind. */
function howToSchedule(id: string, at: string, isUploaded: boolean, error: unknown): string {
  const isRefused = error instanceof AirdateError && !(error instanceof Unavailable);
  const isTimeRefused = isRefused && error.of('scheduled_at') !== undefined;
  const state = isRefused || !isUploaded ? 'is not scheduled' : 'may not be scheduled';
  const first = isUploaded ? 'Schedule it with' : 'Upload its files, then schedule it with';
  return `The draft ${id} exists, and ${state}. ${first}: airdate posts schedule ${id} --at ${isTimeRefused ? 'TIME' : `'${at}'`}`;
}

interface ListOptions extends Limits {
  status?: string;
  outcome?: NonNullable<QueryOf<'listPosts'>['outcome']>;
  search?: string;
  account?: string;
  label?: string;
  attention?: boolean;
  sort?: NonNullable<QueryOf<'listPosts'>['sort']>;
}

async function list(context: Context, options: ListOptions): Promise<void> {
  const { airdate, signal } = context;
  const { status, outcome, search, account, label, attention, sort } = options;
  const [labelId] = label ? await resolveLabelIds(context, [label]) : [];
  const query: QueryOf<'listPosts'> = {
    // The service says which words there are.
    ...(status ? { status: status as Post['status'] } : {}),
    ...(outcome ? { outcome } : {}),
    ...(search ? { q: search } : {}),
    ...(account ? { social_account_id: await resolveAccountId(context, account) } : {}),
    ...(labelId ? { label: labelId } : {}),
    ...(attention ? { needs_attention: true } : {}),
    ...(sort ? { sort } : {}),
  };
  await printList(context, options, (page) => airdate.posts.list({ ...query, ...page }, { signal }), COLUMNS);
}

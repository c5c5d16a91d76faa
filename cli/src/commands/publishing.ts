import { AirdateError, type BodyOf, type Outcome, OutcomeUnknown, type Post } from '@airdate/sdk';
import { Argument, type Command } from 'commander';
import { howToReconnect, onlyAccountId } from '../account-id.js';
import { type Confirmed, confirmOrExit, withYes } from '../ask.js';
import { action, type Context } from '../context.js';
import { EXIT, exitCodeOfOutcome, usage } from '../exit.js';
import { parsePositive } from '../listing.js';
import { cell } from '../output.js';
import { type PublishOptions, publishFields, withPublishOptions } from '../post-options.js';
import { printPost } from '../print-post.js';
import { NO_PRIVACY, scheduleAt, slotFields } from '../schedule.js';
import { parseTime, TIME_HELP } from '../time.js';

interface WaitChoices {
  wait?: boolean;
  timeout?: number;
  idempotencyKey?: string;
}

export function addPublishing(posts: Command): void {
  withPublishOptions(posts.command('publish'))
    .description('publish a post now, and wait for its outcome')
    .argument('<id>')
    .option('--no-wait', 'return as soon as the platform has accepted the post')
    .option('--timeout <seconds>', 'give up after this many seconds', parsePositive)
    .option('--idempotency-key <key>', 'safe to repeat: the same key publishes once')
    .addHelpText(
      'after',
      `
Options you leave out are taken from the post; if only one account is connected, it is the default.
Exits with 3 if the post was refused, 7 if publishing failed, and 8 if it is not known whether the post is public.
Do not publish it again then: run \`airdate posts status --wait\`, or look for the post on the account and run
\`airdate posts resolve\`.

Examples:
  $ airdate posts publish $ID --privacy PUBLIC_TO_EVERYONE
  $ airdate posts publish $ID --account mapfolders --privacy SELF_ONLY --timeout 120`,
    )
    .action(action(publish));
  withPublishOptions(posts.command('schedule'))
    .description('schedule a post, or move its slot')
    .argument('<id>')
    .option('--at <time>', TIME_HELP)
    .option('--cancel', 'cancel the slot: the post becomes a draft again')
    .addHelpText(
      'after',
      "\nExample:\n  $ airdate posts schedule $ID --at '2030-12-01 18:00' --account mapfolders",
    )
    .action(action(schedule));
  posts
    .command('status')
    .description('show the outcome of a post')
    .argument('<id>')
    .option('--wait', 'wait for the outcome')
    .option('--timeout <seconds>', 'give up after this many seconds', parsePositive)
    .action(action(status));
  posts
    .command('check')
    .description('list what prevents a post from being published')
    .argument('<id>')
    .action(
      action(async ({ airdate, output, signal }, _options: object, id: string) => {
        const preflight = await airdate.posts.preflight(id, { signal });
        if (output.isJson) output.object(preflight);
        for (const { level, detail, code } of output.isJson ? [] : preflight.problems)
          process.stdout.write(`${level}: ${detail} (${code})\n`);
        if (preflight.problems.some((problem) => problem.code === 'reconnect_required'))
          output.warn(howToReconnect(preflight.account?.username));
        if (preflight.ready) output.say('Ready.');
        else process.exitCode = EXIT.refused;
      }),
    );
  withYes(posts.command('resolve'))
    .description('resolve an unknown outcome, after looking for the post on the account')
    .argument('<id>')
    .addArgument(new Argument('<outcome>', 'what you saw there').choices(OUTCOMES))
    .addHelpText(
      'after',
      `
posted marks the post as published. not_posted makes it a draft that can be published again: if it is on the
platform after all, publishing it again puts it there twice.

Example:
  $ airdate posts resolve $ID not_posted --yes`,
    )
    .action(action(resolve));
}

const OUTCOMES = ['posted', 'not_posted'] as const;

const EFFECTS = {
  posted: 'as posted? It is marked as published.',
  not_posted:
    'as not posted? It can be published again: if it is on the platform after all, that puts it there twice.',
};

async function resolve(
  context: Context,
  { yes }: Confirmed,
  id: string,
  outcome: (typeof OUTCOMES)[number],
): Promise<void> {
  const { airdate, signal } = context;
  await confirmOrExit(async () => {
    const { title } = await airdate.posts.get(id, { signal });
    return `Report "${cell(title)}" ${EFFECTS[outcome]}`;
  }, yes);
  await printPost(context, await airdate.posts.resolve(id, outcome, { signal }));
}

async function publish(context: Context, options: PublishOptions & WaitChoices, id: string): Promise<void> {
  const { airdate, output, signal } = context;
  const { wait, timeout, idempotencyKey } = options;
  const body = await publishBody(context, options, await airdate.posts.get(id, { signal }));
  try {
    if (wait === false) {
      output.object(await airdate.posts.publish(id, body, { signal, idempotencyKey }));
      return;
    }
    const patience = timeout === undefined ? {} : { timeout: timeout * 1000 };
    finish(
      context,
      id,
      await airdate.posts.publishAndWait(id, body, { signal, idempotencyKey, ...patience }),
    );
  } catch (error) {
    if (signal.aborted)
      output.warn(`The post may have been published: run \`airdate posts status ${id} --wait\`.`);
    else if (error instanceof OutcomeUnknown)
      output.warn(`Ask again with: airdate posts status ${id} --wait. ${howToResolve(id)}`);
    else if (error instanceof AirdateError && error.code === 'wrong_state') {
      const earlier = await airdate.posts.waitUntilPublished(id, { signal, timeout: 0 });
      if (earlier.status === 'unknown') return finish(context, id, earlier);
    }
    throw error;
  }
}

/** The account and the choices of the post itself are the default; who may see it is always chosen by a person. */
async function publishBody(
  context: Context,
  options: PublishOptions,
  post: Post,
): Promise<BodyOf<'publishPost'>> {
  const { privacy_level, publish_mode, social_account_id, ...toggles } = {
    ...pick(post),
    ...(await publishFields(context, options)),
  };
  if (!privacy_level) throw usage(NO_PRIVACY);
  return {
    ...toggles,
    privacy_level,
    mode: publish_mode,
    social_account_id: social_account_id ?? (await onlyAccountId(context)),
  };
}

const pick = (post: Post) => ({
  social_account_id: post.social_account_id,
  privacy_level: post.privacy_level,
  publish_mode: post.publish_mode,
  disable_comment: post.disable_comment,
  disable_duet: post.disable_duet,
  disable_stitch: post.disable_stitch,
  brand_content_toggle: post.brand_content_toggle,
  brand_organic_toggle: post.brand_organic_toggle,
});

const howToResolve = (id: string): string =>
  `Look for it on the account, then report what you saw: airdate posts resolve ${id} posted, or not_posted.`;

function finish({ output }: Context, post_id: string, outcome: Outcome): void {
  output.object({ post_id, ...outcome });
  process.exitCode = exitCodeOfOutcome(outcome.status);
  if (outcome.status === 'failed') output.warn(outcome.fail_reason);
  if (outcome.status === 'unknown')
    output.warn(
      `It is not known whether the post is public; do not publish it again. ${howToResolve(post_id)}`,
    );
  if (outcome.status === 'processing')
    output.warn('It is still being published. Check again later; do not publish it again.');
  if (outcome.status === 'scheduled') output.warn('Its slot is still ahead.');
}

async function schedule(
  context: Context,
  options: PublishOptions & { at?: string; cancel?: boolean },
  id: string,
): Promise<void> {
  const { airdate, signal } = context;
  if (options.at !== undefined && options.cancel) throw usage('Give --at or --cancel, not both.');
  if (options.at === undefined && !options.cancel) throw usage('Give --at, or --cancel.');
  if (options.at === undefined) return printPost(context, await airdate.posts.unschedule(id, { signal }));
  const at = parseTime(options.at);
  const post = await airdate.posts.get(id, { signal });
  await scheduleAt(context, id, at, await slotFields(context, await publishFields(context, options), post));
}

async function status(context: Context, { wait, timeout }: WaitChoices, id: string): Promise<void> {
  const { airdate, output, signal } = context;
  const patience = wait ? (timeout === undefined ? {} : { timeout: timeout * 1000 }) : { timeout: 0 };
  const outcome = await airdate.posts.waitUntilPublished(id, { signal, ...patience });
  const { status: now } = outcome;
  if (now === 'not_sent')
    return output.object({ post_id: id, status: (await airdate.posts.get(id, { signal })).status });
  if (!wait && (now === 'processing' || now === 'scheduled'))
    return output.object({ post_id: id, ...outcome });
  finish(context, id, outcome);
}

// The slot of a post: what it needs besides a time, and how it is booked.
import { type Post, responseOf } from '@airdate/sdk';
import { onlyAccountId } from './account-id.js';
import type { Context } from './context.js';
import { EXIT, ExitError, usage } from './exit.js';
import type { PublishFields } from './post-options.js';
import { printPost } from './print-post.js';
import { localText, timeZone } from './time.js';

export const NO_PRIVACY = 'Choose who can see the post: --privacy.';

/** With the only account as the default, like that of publish; who may see the post is always chosen by a person. */
export async function slotFields<Fields extends PublishFields>(
  context: Context,
  fields: Fields,
  post?: Post,
): Promise<Fields> {
  const { social_account_id, privacy_level } = { ...post, ...fields };
  if (!privacy_level) throw usage(NO_PRIVACY);
  return social_account_id ? fields : { ...fields, social_account_id: await onlyAccountId(context) };
}

/** Before anything is created: whether the service would refuse this key, or this time by its own clock. */
export async function assertSchedulable({ airdate, signal }: Context, at: Date): Promise<void> {
  const me = await airdate.organization.me({ signal });
  if (!me.scopes.includes('posts:publish'))
    throw new ExitError(
      EXIT.auth,
      'The key lacks the scope posts:publish, which --at needs. Nothing was created.',
    );
  const now = Date.parse(responseOf(me)?.headers.get('date') ?? '') || Date.now();
  const { schedule_min_lead_seconds: lead } = me;
  if (at.getTime() >= now + lead * 1000) return;
  const rule = lead === 0 ? 'must not be in the past' : `must be at least ${leadText(lead)} from now`;
  throw new ExitError(EXIT.refused, `--at ${rule}. Nothing was created.`);
}

const leadText = (seconds: number): string =>
  seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;

/** Books or moves the slot, and prints the post. */
export async function scheduleAt(
  context: Context,
  id: string,
  at: Date,
  fields: PublishFields = {},
): Promise<void> {
  const { airdate, output, signal } = context;
  await printPost(context, await airdate.posts.schedule(id, { at, ...fields }, { signal }));
  const obstacles = await obstaclesOf(context, id);
  const slot = `${localText(at)} (${timeZone()})`;
  if (obstacles.length === 0) output.say(`It goes out on ${slot}.`);
  else output.warn(`It is scheduled for ${slot}, but does not go out as it is: ${obstacles.join(' ')}`);
}

/** What keeps a scheduled post from going out. Files may come later, but a person who forgets them must not read that all is well. */
async function obstaclesOf({ airdate, signal }: Context, id: string): Promise<string[]> {
  try {
    const { readiness } = await airdate.posts.get(id, { include: 'readiness', signal });
    const errors = readiness?.problems.filter(({ level }) => level === 'error') ?? [];
    return errors.map(({ detail, code }) => `${detail} (${code})`);
  } catch {
    // The slot is booked, whether or not this can be read.
    return [];
  }
}

// The fields of a post as options of commands.
import type { BodyOf, Post } from '@airdate/sdk';
import { type Command, Option } from 'commander';
import { resolveAccountId } from './account-id.js';
import type { Context } from './context.js';

type Privacy = NonNullable<Post['privacy_level']>;

const PRIVACY: Privacy[] = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
];

export interface PublishOptions {
  account?: string;
  privacy?: Privacy;
  mode?: Post['publish_mode'];
  comments?: boolean;
  duet?: boolean;
  stitch?: boolean;
  brandContent?: boolean;
  brandOrganic?: boolean;
}

export interface PostOptions extends PublishOptions {
  caption?: string;
  hashtags?: string;
  label?: string[];
}

/** How it is published. */
export const withPublishOptions = (command: Command): Command =>
  command
    .option('--account <name>', 'the account: user name or id')
    .addOption(new Option('--privacy <level>', 'who can see it').choices(PRIVACY))
    .addOption(
      new Option('--mode <mode>', 'publish it, or put it into the creator’s inbox').choices([
        'direct',
        'inbox',
      ]),
    )
    .option('--no-comments', 'switch comments off')
    .option('--no-duet', 'switch duets off')
    .option('--no-stitch', 'switch stitches off')
    .option('--brand-content', 'it is a paid partnership')
    .option('--brand-organic', 'it promotes a business of one’s own');

export const withPostOptions = (command: Command): Command =>
  withPublishOptions(command)
    .option('--caption <text>', 'its caption')
    .option('--hashtags <text>', 'its hashtags')
    .option('--label <id...>', 'ids of labels');

type PublishFields = Pick<
  BodyOf<'updatePost'>,
  | 'social_account_id'
  | 'privacy_level'
  | 'publish_mode'
  | 'disable_comment'
  | 'disable_duet'
  | 'disable_stitch'
  | 'brand_content_toggle'
  | 'brand_organic_toggle'
>;

/** Only what was given. */
export async function publishFields(context: Context, options: PublishOptions): Promise<PublishFields> {
  const { account, privacy, mode, comments, duet, stitch, brandContent, brandOrganic } = options;
  return {
    ...(account === undefined ? {} : { social_account_id: await resolveAccountId(context, account) }),
    ...(privacy === undefined ? {} : { privacy_level: privacy }),
    ...(mode === undefined ? {} : { publish_mode: mode }),
    ...(comments === false ? { disable_comment: true } : {}),
    ...(duet === false ? { disable_duet: true } : {}),
    ...(stitch === false ? { disable_stitch: true } : {}),
    ...(brandContent ? { brand_content_toggle: true } : {}),
    ...(brandOrganic ? { brand_organic_toggle: true } : {}),
  };
}

export async function postFields(context: Context, options: PostOptions) {
  const { caption, hashtags, label } = options;
  return {
    ...(await publishFields(context, options)),
    ...(caption === undefined ? {} : { caption }),
    ...(hashtags === undefined ? {} : { hashtags }),
    ...(label === undefined ? {} : { labels: label }),
  };
}

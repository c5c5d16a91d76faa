// The fields of a post as options of commands.
import type { BodyOf, Post } from '@airdate/sdk';
import { type Command, Option } from 'commander';
import { resolveAccountId } from './account-id.js';
import type { Context } from './context.js';
import { resolveLabelIds } from './label-ids.js';

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
    .addOption(new Option('--privacy <level>', 'who can see the post').choices(PRIVACY))
    .addOption(
      new Option('--mode <mode>', 'publish directly, or send to the creator’s inbox').choices([
        'direct',
        'inbox',
      ]),
    )
    .option('--comments', 'allow comments')
    .option('--no-comments', 'turn comments off')
    .option('--duet', 'allow duets')
    .option('--no-duet', 'turn duets off')
    .option('--stitch', 'allow stitches')
    .option('--no-stitch', 'turn stitches off')
    .option('--brand-content', 'the post is a paid partnership')
    .option('--no-brand-content', 'the post is not a paid partnership')
    .option('--brand-organic', 'the post promotes your own business')
    .option('--no-brand-organic', 'the post does not promote your own business');

export const withPostOptions = (command: Command): Command =>
  withPublishOptions(command)
    .option('--caption <text>', 'the caption')
    .option('--hashtags <text>', 'the hashtags')
    .option('--label <name...>', 'labels: names or ids');

export type PublishFields = Pick<
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
    ...(comments === undefined ? {} : { disable_comment: !comments }),
    ...(duet === undefined ? {} : { disable_duet: !duet }),
    ...(stitch === undefined ? {} : { disable_stitch: !stitch }),
    ...(brandContent === undefined ? {} : { brand_content_toggle: brandContent }),
    ...(brandOrganic === undefined ? {} : { brand_organic_toggle: brandOrganic }),
  };
}

export async function postFields(context: Context, options: PostOptions) {
  const { caption, hashtags, label } = options;
  return {
    ...(await publishFields(context, options)),
    ...(caption === undefined ? {} : { caption }),
    ...(hashtags === undefined ? {} : { hashtags }),
    ...(label === undefined ? {} : { labels: await resolveLabelIds(context, label) }),
  };
}

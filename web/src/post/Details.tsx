import type { Post, SocialAccount } from '@airdate/sdk';
import type { ReactNode } from 'react';
import { AccountTag } from '../ui/AccountTag.js';
import { Time } from '../ui/Time.js';
import classes from './PostPage.module.css';

const PRIVACY: Record<NonNullable<Post['privacy_level']>, string> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only me',
};

/** Everything that would be sent, or was. */
export function Details({ post, account }: { post: Post; account: SocialAccount | undefined }) {
  return (
    <section aria-labelledby="details">
      <h2 className={classes.heading} id="details">
        Details
      </h2>
      <dl className={classes.details}>
        <Fact name="Title">{post.title}</Fact>
        <Fact name="Account">
          {account ? (
            <AccountTag account={account} size={20} />
          ) : post.social_account_id ? (
            'Disconnected'
          ) : null}
        </Fact>
        <Fact name="Caption">{post.caption && <span className={classes.caption}>{post.caption}</span>}</Fact>
        <Fact name="Hashtags">{post.hashtags}</Fact>
        <Fact name="Who can see it">{post.privacy_level && PRIVACY[post.privacy_level]}</Fact>
        <Fact name="Interactions">{interactionsOf(post)}</Fact>
        <Fact name="Disclosure">{disclosureOf(post)}</Fact>
        <Fact name="Posts to">
          {post.publish_mode === 'direct' ? 'Profile' : 'Inbox, to finish in the app'}
        </Fact>
        <Fact name="Created">
          <Time at={post.created_at} />
        </Fact>
        <Fact name="Updated">
          <Time at={post.updated_at} />
        </Fact>
      </dl>
    </section>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children || <span className={classes.none}>Not set</span>}</dd>
  </div>
);

/** A person chooses these when they publish; before that, the stored values mean nothing. */
function interactionsOf(post: Post): string {
  if (post.status === 'draft' && post.privacy_level === null) return 'Chosen when you publish';
  const all: [what: string, isOff: boolean][] = [
    ['comments', post.disable_comment],
    // Slides cannot be dueted or stitched.
    ...(post.post_type === 'slides'
      ? []
      : ([
          ['duets', post.disable_duet],
          ['stitches', post.disable_stitch],
        ] as [string, boolean][])),
  ];
  const named = (isOff: boolean) => {
    const words = all.filter(([, off]) => off === isOff).map(([what]) => what);
    return words.length === 0 ? [] : [`${LIST.format(words)} ${isOff ? 'off' : 'on'}`];
  };
  return [...named(false), ...named(true)].join(', ').replace(/^./, (letter) => letter.toUpperCase());
}

const LIST = new Intl.ListFormat('en-GB');

function disclosureOf({ brand_content_toggle, brand_organic_toggle }: Post): string {
  if (brand_content_toggle)
    return brand_organic_toggle ? 'Paid partnership and own brand' : 'Paid partnership';
  return brand_organic_toggle ? 'Promotional content (own brand)' : 'None';
}

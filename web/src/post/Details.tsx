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
        <Fact name="Viewers may">{interactionsOf(post)}</Fact>
        <Fact name="Disclosure">{disclosureOf(post)}</Fact>
        <Fact name="Goes to">
          {post.publish_mode === 'direct'
            ? 'The profile, directly'
            : 'The inbox of the account, to be finished there'}
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

function interactionsOf(post: Post): string {
  const may = [
    post.disable_comment ? null : 'comment',
    // Slides cannot be dueted or stitched.
    post.disable_duet || post.post_type === 'slides' ? null : 'duet',
    post.disable_stitch || post.post_type === 'slides' ? null : 'stitch',
  ].filter((word) => word !== null);
  return may.length === 0 ? 'Only watch' : may.join(', ').replace(/^./, (letter) => letter.toUpperCase());
}

function disclosureOf({ brand_content_toggle, brand_organic_toggle }: Post): string {
  if (brand_content_toggle)
    return brand_organic_toggle ? 'Paid partnership, and own brand' : 'Paid partnership';
  return brand_organic_toggle ? 'Promotional content (own brand)' : 'None';
}

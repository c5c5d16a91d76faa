import type { Dispatch, Post } from '@airdate/sdk/core';
import type { ReactNode } from 'react';
import { disconnectedLabel } from '../accounts/disconnected.js';
import { useDisconnectedAccount } from '../accounts/useDisconnected.js';
import { LabelChip } from '../labels/LabelChip.js';
import { useLabels } from '../labels/useLabels.js';
import { wasChosen } from '../publish/choices.js';
import { audienceOf } from '../text/audiences.js';
import { AccountTag } from '../ui/AccountAvatar.js';
import { Time } from '../ui/Time.js';
import classes from './PostPage.module.css';
import type { PostFacts } from './usePost.js';

/** Everything that would be sent, or was. */
export function Details({ facts: { post, latest, account } }: { facts: PostFacts }) {
  const later = chosenLater(post, latest);
  const disconnected = useDisconnectedAccount(undefined, post.social_account_id ?? '');
  return (
    <section aria-labelledby="details">
      <h2 className={classes.heading} id="details">
        Details
      </h2>
      <dl className={classes.details}>
        <Fact name="Title">{post.title && <span dir="auto">{post.title}</span>}</Fact>
        <Fact name="Account">
          {account ? (
            <>
              <AccountTag account={account} size={20} />
              {post.social_account_id === null && <span className={classes.none}> in the last attempt</span>}
            </>
          ) : post.social_account_id ? (
            disconnectedLabel(disconnected?.username)
          ) : null}
        </Fact>
        <Fact name="Caption">
          {post.caption && (
            <span className={classes.caption} dir="auto">
              {post.caption}
            </span>
          )}
        </Fact>
        <Fact name="Hashtags">{post.hashtags && <span dir="auto">{post.hashtags}</span>}</Fact>
        {post.labels.length > 0 && (
          <Fact name="Labels">
            <Labels ids={post.labels} />
          </Fact>
        )}
        {coverOf(post) && <Fact name="Cover">{coverOf(post)}</Fact>}
        {later === null ? (
          <>
            <Fact name="Who can see it">{post.privacy_level && audienceOf(post.privacy_level)}</Fact>
            <Fact name="Interactions">{interactionsOf(post)}</Fact>
            <Fact name="Disclosure">{disclosureOf(post)}</Fact>
            <Fact name="Posts to">Profile</Fact>
          </>
        ) : (
          <Fact name="Publishing">{later}</Fact>
        )}
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

/** Where a person chooses the options; null once they have. Before that, the stored values mean nothing. */
function chosenLater(post: Post, latest: Dispatch | undefined): string | null {
  if (post.publish_mode === 'inbox') return 'To the inbox. You choose the audience in the app.';
  return wasChosen(post, latest) ? null : 'You’ll choose the audience and options when you publish.';
}

/** Null for the first slide or frame, which is the cover anyway. */
function coverOf({ post_type, cover_index, cover_ms }: Post): string | null {
  if (post_type === 'slides') return cover_index === null ? null : `Slide ${cover_index + 1}`;
  return cover_ms === null ? null : `At ${cover_ms / 1000} s`;
}

function interactionsOf(post: Post): string {
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

function Labels({ ids }: { ids: readonly string[] }) {
  const all = useLabels() ?? [];
  return (
    <span className={classes.labels}>
      {all
        .filter(({ id }) => ids.includes(id))
        .map((label) => (
          <LabelChip key={label.id} label={label} />
        ))}
    </span>
  );
}

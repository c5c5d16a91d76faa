import type { Post } from '@airdate/sdk/core';
import { useState } from 'react';
import type { ShownAccount } from '../accounts/useKnownAccounts.js';
import type { Label } from '../labels/label.js';
import { useSlices } from '../ui/useSlices.js';
import { Card, type CardProps } from './Card.js';
import classes from './Grid.module.css';
import type { Rights } from './useRights.js';
import type { Selection } from './useSelection.js';

export interface PostsProps {
  posts: Post[];
  accounts: ReadonlyMap<string, ShownAccount>;
  labels: ReadonlyMap<string, Label>;
  selection: Selection;
  may: Rights;
}

export function Grid(all: PostsProps) {
  const { posts, selection } = all;
  const drawn = useDrawn(posts);
  return (
    <ul className={classes.grid} aria-label="Posts" data-selecting={selection.posts.length > 0 || undefined}>
      {posts.map((post, i) =>
        i < drawn ? <Card key={post.id} {...propsOf(post, all)} /> : <Ghost key={post.id} />,
      )}
    </ul>
  );
}

/** Less than a row. */
const SLICE = 4;

function useDrawn(posts: Post[]): number {
  const [drawn, restart] = useSlices(posts.length, SLICE);
  const [before, setBefore] = useState(posts);
  if (before !== posts) {
    setBefore(posts);
    // Another page or another filter; a refetched list has most of its posts in common with the one before.
    const known = new Set(before.map(({ id }) => id));
    if (!posts.some(({ id }) => known.has(id))) restart();
  }
  return drawn;
}

/** The data of a post's card, or of its row in the table. */
export const propsOf = (post: Post, { accounts, labels, selection, may }: PostsProps): CardProps => ({
  post,
  account: post.social_account_id ? accounts.get(post.social_account_id) : undefined,
  labels,
  may,
  isSelected: selection.has(post.id),
  onSelect: selection.toggle,
});

/** Two rows of seven. */
const GHOSTS = Array.from({ length: 14 }, (_, i) => i);

export const GridSkeleton = () => (
  <ul className={classes.grid} aria-hidden>
    {GHOSTS.map((i) => (
      <Ghost key={i} />
    ))}
  </ul>
);

/** As large as most cards, so that nothing moves when they come. */
const Ghost = () => (
  <li className={classes.ghost} aria-hidden>
    <div />
    <span />
  </li>
);

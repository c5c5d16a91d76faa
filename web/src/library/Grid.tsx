import type { Post, SocialAccount } from '@airdate/sdk';
import { Skeleton } from '@mantine/core';
import { Card, type CardProps } from './Card.js';
import classes from './Grid.module.css';
import type { Rights } from './useRights.js';
import type { Selection } from './useSelection.js';

export interface PostsProps {
  posts: Post[];
  accounts: Map<string, SocialAccount>;
  selection: Selection;
  may: Rights;
}

export function Grid(all: PostsProps) {
  const { posts, selection } = all;
  return (
    <ul className={classes.grid} aria-label="Posts" data-selecting={selection.posts.length > 0 || undefined}>
      {posts.map((post) => (
        <Card key={post.id} {...propsOf(post, all)} />
      ))}
    </ul>
  );
}

/** The data of a post's card, or of its row in the table. */
export const propsOf = (post: Post, { accounts, selection, may }: PostsProps): CardProps => ({
  post,
  account: post.social_account_id ? accounts.get(post.social_account_id) : undefined,
  may,
  isSelected: selection.has(post.id),
  onSelect: selection.toggle,
});

const TEN = Array.from({ length: 10 }, (_, i) => i);

/** As large as the content, so that nothing moves when it loads. */
export const GridSkeleton = () => (
  <div className={classes.grid} aria-hidden>
    {TEN.map((i) => (
      <div key={i}>
        <Skeleton className={classes.ghost ?? ''} radius={10} />
        <Skeleton height={14} mt={10} width="85%" radius={4} />
        <Skeleton height={20} mt={8} width={72} radius={10} />
        <Skeleton height={12} mt={8} width="60%" radius={4} />
      </div>
    ))}
  </div>
);

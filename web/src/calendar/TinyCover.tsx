import type { Post } from '@airdate/sdk';
import { Film } from 'lucide-react';
import { Cover } from '../ui/Cover.js';
import classes from './TinyCover.module.css';

/** A cover where words beside it would not fit: a video without a picture is known by its sign. */
export function TinyCover({ post, width }: { post: Post; width: number }) {
  return (
    <span className={classes.cover} style={{ width }}>
      <Cover post={post} isSmall />
      {post.post_type === 'video' && !post.cover_url && (
        <Film className={classes.film} size={Math.min(16, width - 5)} aria-hidden />
      )}
    </span>
  );
}

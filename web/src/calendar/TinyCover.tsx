import type { Post } from '@airdate/sdk/core';
import { Cover } from '../ui/Cover.js';
import classes from './TinyCover.module.css';
import { TinyFrame } from './TinyFrame.js';

/** A cover of a few pixels. */
export const TinyCover = ({ post, width }: { post: Post; width: number }) => (
  <span className={classes.cover} style={{ width }}>
    <Cover post={{ ...post, cover_video_url: null }} isSmall />
    {post.cover_video_url && <TinyFrame url={post.cover_video_url} ms={post.cover_ms} />}
  </span>
);

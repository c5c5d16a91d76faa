import type { Post } from '@airdate/sdk';
import { Cover } from '../ui/Cover.js';
import classes from './TinyCover.module.css';

/** A cover of a few pixels. No video is fetched: there may be many on screen, and little of each would be seen. */
export const TinyCover = ({ post, width }: { post: Post; width: number }) => (
  <span className={classes.cover} style={{ width }}>
    <Cover post={{ ...post, cover_video_url: null }} isSmall />
  </span>
);

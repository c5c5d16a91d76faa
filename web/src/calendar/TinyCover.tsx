import type { Post } from '@airdate/sdk';
import { Cover } from '../ui/Cover.js';
import classes from './TinyCover.module.css';

/** A cover of a few pixels. So many may be on screen, and so little would be seen of it, that no video is fetched. */
export const TinyCover = ({ post, width }: { post: Post; width: number }) => (
  <span className={classes.cover} style={{ width }}>
    <Cover post={{ ...post, cover_video_url: null }} isSmall />
  </span>
);

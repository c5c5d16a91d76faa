import type { Post } from '@airdate/sdk/core';
import { Film } from 'lucide-react';
import { isUploading } from '../text/readiness.js';
import classes from './Cover.module.css';
import { CoverFrame } from './CoverFrame.js';
import { withoutQuery } from './stable-url.js';

type Covered = Pick<Post, 'post_type' | 'cover_url' | 'cover_video_url' | 'readiness'> &
  Partial<Pick<Post, 'cover_ms'>>;

/** The portrait cover of a post. Decoration: the title beside it says the same in words. */
export function Cover({ post, isSmall = false }: { post: Covered; isSmall?: boolean }) {
  const isVideo = post.post_type === 'video';
  const isEmpty = !post.cover_url && !post.cover_video_url && !isSmall && !isUploading(post);
  return (
    <div className={classes.cover}>
      {post.cover_url ? (
        <img src={post.cover_url} alt="" loading="lazy" decoding="async" />
      ) : (
        <div className={classes.blank} data-video={isVideo || undefined}>
          {isEmpty ? (
            `No ${isVideo ? 'video' : 'slides'} yet`
          ) : isVideo ? (
            <Film className={classes.sign} strokeWidth={1.5} aria-hidden />
          ) : null}
        </div>
      )}
      {post.cover_video_url && (
        <CoverFrame
          key={`${withoutQuery(post.cover_video_url)} ${post.cover_ms}`}
          url={post.cover_video_url}
          ms={post.cover_ms ?? null}
        />
      )}
      {isVideo && !isSmall && (
        <span className={classes.film}>
          <Film size={12} aria-hidden /> Video
        </span>
      )}
    </div>
  );
}

import type { Post } from '@airdate/sdk/core';
import { Film } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { isUploading } from '../text/readiness.js';
import classes from './Cover.module.css';
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
            <Film className={classes.sign} strokeWidth={1.5} />
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
          <Film size={12} /> Video
        </span>
      )}
    </div>
  );
}

/** How far outside the window a video starts to load. */
const AHEAD = '300px';

/** Not at the start, unless it was chosen: many videos begin with a black frame. */
const USUAL_MS = 100;

/**
 * A frame of a video, for as long as it is visible or close to it: no page fetches all of its videos together, and browsers
 * limit the number of players. Until there is a frame, and if there never is one, the icon beneath is visible.
 */
function CoverFrame({ url, ms }: { url: string; ms: number | null }) {
  const place = useRef<HTMLSpanElement>(null);
  const newest = useRef(url);
  const [shown, setShown] = useState<string | null>(null);
  // The URL changes every few minutes, which would restart the player: the first one stays in use.
  useEffect(() => {
    newest.current = url;
  }, [url]);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver(
      (entries) => setShown(entries.at(-1)?.isIntersecting ? newest.current : null),
      { rootMargin: AHEAD },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return (
    <span ref={place} className={classes.frame} aria-hidden>
      {shown !== null && (
        <video
          src={`${shown}#t=${(ms ?? USUAL_MS) / 1000}`}
          preload="metadata"
          muted
          playsInline
          disablePictureInPicture
          disableRemotePlayback
          tabIndex={-1}
          onError={() => setShown(null)}
        />
      )}
    </span>
  );
}

import { useEffect, useRef, useState } from 'react';
import classes from './Cover.module.css';

/** So far outside the window a video begins to load. */
const AHEAD = '300px';

/** A little into it: many begin with a black frame. */
const MOMENT = '#t=0.1';

/**
 * A frame of a video, for as long as it is in sight or close to it: no page fetches all of its videos at once, and browsers
 * have only so many players. Until there is a frame, and if there never is one, what lies beneath is seen.
 */
export function CoverFrame({ url }: { url: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const newest = useRef(url);
  const [shown, setShown] = useState<string | null>(null);
  // The address changes every few minutes, and with it a player would begin anew: the one it began with stays.
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
          src={shown + MOMENT}
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

import { useEffect, useRef, useState } from 'react';
import classes from './Cover.module.css';

/** How far outside the window a video starts to load. */
const AHEAD = '300px';

/** Not at the start, unless it was chosen: many videos begin with a black frame. */
const USUAL_MS = 100;

/**
 * A frame of a video, for as long as it is visible or close to it: no page fetches all of its videos at once, and browsers
 * limit the number of players. Until there is a frame, and if there never is one, the icon beneath is visible.
 */
export function CoverFrame({ url, ms }: { url: string; ms: number | null }) {
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

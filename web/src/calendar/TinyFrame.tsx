import { useEffect, useRef } from 'react';
import { withoutQuery } from '../ui/stable-url.js';
import { stillOf } from './stills.js';
import classes from './TinyCover.module.css';

/** A frame of a video, loaded when it is visible. Until then the icon beneath is. */
export function TinyFrame({ url, ms }: { url: string; ms: number | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // The URL of the same file changes every few minutes.
  const newest = useRef(url);
  newest.current = url;
  const file = withoutQuery(url);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file has another frame
  useEffect(() => {
    const place = canvas.current;
    if (!place) return;
    let isGone = false;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.at(-1)?.isIntersecting) return;
      observer.disconnect();
      void stillOf(newest.current, ms).then((still) => {
        if (isGone || !still) return;
        place.width = still.width;
        place.height = still.height;
        place.getContext('2d')?.drawImage(still, 0, 0);
      });
    });
    observer.observe(place);
    return () => {
      isGone = true;
      observer.disconnect();
    };
  }, [file, ms]);
  return <canvas ref={canvas} className={classes.frame} width={1} height={1} aria-hidden />;
}

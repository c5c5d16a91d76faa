import type { Post } from '@airdate/sdk/core';
import { useEffect, useRef } from 'react';
import { Cover } from '../ui/Cover.js';
import { withoutQuery } from '../ui/stable-url.js';
import classes from './TinyCover.module.css';

/** A cover of a few pixels. */
export const TinyCover = ({ post, width }: { post: Post; width: number }) => (
  <span className={classes.cover} style={{ width }}>
    <Cover post={{ ...post, cover_video_url: null }} isSmall />
    {post.cover_video_url && <TinyFrame url={post.cover_video_url} ms={post.cover_ms} />}
  </span>
);

/** A frame of a video, loaded when it is visible. Until then the icon beneath is. */
function TinyFrame({ url, ms }: { url: string; ms: number | null }) {
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

// Stills of videos, for covers of a few pixels. A calendar may show more than a hundred, and browsers limit the number of
// players: each video is loaded once, a few at a time, drawn to a canvas and let go.
const WIDTH = 72;
const HEIGHT = 128;
const MAX_CONCURRENT = 3;
const MAX_CACHED = 300;
const TIMEOUT_MS = 20_000;
/** Not at the start: many videos begin with a black frame. */
const DEFAULT_MS = 100;

type Still = HTMLCanvasElement | null;

const cache = new Map<string, Promise<Still>>();
const waiting: (() => void)[] = [];
let running = 0;

/** Null if the video cannot be loaded; it is tried again the next time. */
function stillOf(url: string, ms: number | null): Promise<Still> {
  const key = `${withoutQuery(url)} ${ms}`;
  let still = cache.get(key);
  if (!still) {
    still = limited(() => load(url, (ms ?? DEFAULT_MS) / 1000));
    cache.set(key, still);
    void still.then((drawn) => drawn ?? cache.delete(key));
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  }
  return still;
}

async function limited<T>(task: () => Promise<T>): Promise<T> {
  if (running >= MAX_CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await task();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

function load(url: string, seconds: number): Promise<Still> {
  return new Promise((resolve) => {
    const video = document.createElement('video');
    const end = (still: Still) => {
      clearTimeout(timer);
      resolve(still);
      // Frees the player.
      video.removeAttribute('src');
      video.load();
    };
    const timer = setTimeout(() => end(null), TIMEOUT_MS);
    video.muted = true;
    video.playsInline = true;
    video.preload = 'auto';
    video.addEventListener('loadedmetadata', () => {
      video.currentTime = Math.min(seconds, Math.max(0, video.duration - 0.05));
    });
    video.addEventListener('seeked', () => end(draw(video)), { once: true });
    video.addEventListener('error', () => end(null), { once: true });
    video.src = url;
  });
}

/** Fills the frame, and cuts off what is beside it. */
function draw(video: HTMLVideoElement): Still {
  const { videoWidth, videoHeight } = video;
  if (videoWidth === 0 || videoHeight === 0) return null;
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const scale = Math.max(WIDTH / videoWidth, HEIGHT / videoHeight);
  const [width, height] = [videoWidth * scale, videoHeight * scale];
  canvas.getContext('2d')?.drawImage(video, (WIDTH - width) / 2, (HEIGHT - height) / 2, width, height);
  return canvas;
}

// The media as viewers will see it: slides one at a time, or the video.

import type { Asset, Post } from '@airdate/sdk/core';
import { Skeleton } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { titleOf } from '../text/post-title.js';
import { IconButton } from '../ui/IconButton.js';
import { stableUrl } from '../ui/stable-url.js';
import classes from './Viewer.module.css';

export function Viewer({ post, assets }: { post: Post; assets: Asset[] | undefined }) {
  if (!assets) return <Skeleton className={classes.frame ?? ''} radius={14} aria-hidden />;
  const [first] = assets;
  if (!first)
    return (
      <div className={classes.frame}>
        <p className={classes.blank}>{post.post_type === 'video' ? 'No video yet' : 'No slides yet'}</p>
      </div>
    );
  if (post.post_type === 'video')
    return (
      <div className={classes.frame}>
        {/* biome-ignore lint/a11y/useMediaCaption: the person's own film; there is no file of captions to offer */}
        <video
          key={first.object_key}
          src={stableUrl(first.url)}
          controls
          playsInline
          preload="metadata"
          aria-label={`Video of ${titleOf(post)}`}
        />
      </div>
    );
  return <Carousel slides={assets} />;
}

function Carousel({ slides }: { slides: Asset[] }) {
  const rail = useRef<HTMLUListElement>(null);
  const [at, setAt] = useState(0);
  const shown = Math.min(at, slides.length - 1);
  const go = (index: number) => {
    const to = Math.max(0, Math.min(slides.length - 1, index));
    const slide = rail.current?.children[to] as HTMLElement | undefined;
    rail.current?.scrollTo({ left: slide?.offsetLeft ?? 0, behavior: 'smooth' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: slides.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  return (
    <section aria-label="Slides" aria-roledescription="carousel" className={classes.carousel}>
      <div className={classes.frame}>
        <ul
          ref={rail}
          className={classes.rail}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
          aria-label="Slides, use the arrow keys"
          onKeyDown={onKeyDown}
          onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
            setAt(Math.round(scrollLeft / Math.max(1, clientWidth)))
          }
        >
          {slides.map((slide, i) => (
            <li key={slide.object_key}>
              {/* Full images only around the current one: 35 of 20 MB are too many. */}
              <img
                src={stableUrl((Math.abs(i - shown) > 1 && slide.thumbnail_url) || slide.url)}
                alt={`Slide ${i + 1} of ${slides.length}`}
                loading="lazy"
                decoding="async"
              />
            </li>
          ))}
        </ul>
        {slides.length > 1 && (
          <>
            <Arrow isForth={false} isOff={shown === 0} onClick={() => go(shown - 1)} />
            <Arrow isForth isOff={shown === slides.length - 1} onClick={() => go(shown + 1)} />
            <p className={`figures ${classes.place}`} role="status">
              <span className="unseen">Slide </span>
              {shown + 1}
              <span aria-hidden>/</span>
              <span className="unseen"> of </span>
              {slides.length}
            </p>
          </>
        )}
      </div>
      {slides.length > 1 && (
        <div className={classes.dots}>
          {slides.map((slide, i) => (
            <button
              key={slide.object_key}
              type="button"
              aria-label={`Slide ${i + 1}`}
              aria-current={i === shown || undefined}
              onClick={() => go(i)}
            />
          ))}
        </div>
      )}
    </section>
  );
}

function Arrow({ isForth, isOff, onClick }: { isForth: boolean; isOff: boolean; onClick: () => void }) {
  const Icon = isForth ? ChevronRight : ChevronLeft;
  return (
    <IconButton
      label={isForth ? 'Next slide' : 'Previous slide'}
      icon={Icon}
      iconSize={20}
      variant="default"
      size={40}
      radius="xl"
      className={`${classes.arrow} ${isForth ? classes.forth : classes.back}`}
      // Stays focusable at the end, so that keyboard users keep their place.
      aria-disabled={isOff}
      data-off={isOff || undefined}
      onClick={onClick}
    />
  );
}

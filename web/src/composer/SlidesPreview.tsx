import { ActionIcon } from '@mantine/core';
import { ChevronLeft, ChevronRight, ImageOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import classes from './PhonePreview.module.css';
import type { Shot } from './shots.js';

interface Props {
  shots: readonly Shot[];
  index: number;
  coverIndex: number;
  onIndex: (index: number) => void;
}

/** Swiped by finger or wheel, by the arrows, or by choosing a slide in the rail. */
export function SlidesPreview({ shots, index, coverIndex, onIndex }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const shown = useRef(0);
  /** The target of a programmatic scroll; slides passed on the way do not count. */
  const target = useRef<number>(undefined);
  useEffect(() => {
    const element = track.current;
    if (!element || shown.current === index) return;
    shown.current = target.current = index;
    element.scrollTo({ left: index * element.clientWidth });
  }, [index]);
  const clearTarget = () => {
    target.current = undefined;
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form */}
      <div
        ref={track}
        className={classes.track}
        role="group"
        aria-label="Preview slides"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onPointerDown={clearTarget}
        onWheel={clearTarget}
        onKeyDown={clearTarget}
        onScroll={({ currentTarget }) => {
          const at = Math.round(currentTarget.scrollLeft / Math.max(1, currentTarget.clientWidth));
          if (at === target.current) clearTarget();
          if (target.current !== undefined || at === shown.current) return;
          shown.current = at;
          onIndex(at);
        }}
      >
        {shots.map(({ src, alt }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one image for each place; new elements would move the track
          <Slide key={i} src={src} place={i + 1} name={alt} />
        ))}
      </div>
      {shots.length > 1 && (
        <>
          <span className={`${classes.counter} figures`}>
            {index === coverIndex && 'Cover · '}
            {index + 1}/{shots.length}
          </span>
          <ActionIcon
            className={`${classes.arrow} ${classes.back}`}
            size={32}
            radius="xl"
            variant="transparent"
            aria-label="Previous slide"
            aria-disabled={index === 0}
            onClick={() => onIndex(Math.max(0, index - 1))}
          >
            <ChevronLeft size={20} aria-hidden />
          </ActionIcon>
          <ActionIcon
            className={`${classes.arrow} ${classes.forth}`}
            size={32}
            radius="xl"
            variant="transparent"
            aria-label="Next slide"
            aria-disabled={index >= shots.length - 1}
            onClick={() => onIndex(Math.min(shots.length - 1, index + 1))}
          >
            <ChevronRight size={20} aria-hidden />
          </ActionIcon>
          <span className={classes.dots} aria-hidden>
            {shots.map(({ key }, i) => (
              <span key={key} data-here={i === index || undefined} />
            ))}
          </span>
        </>
      )}
    </>
  );
}

/** A file that is no picture, or cannot be fetched, is named in its place. */
function Slide({ src, place, name }: { src: string; place: number; name: string }) {
  const [broken, setBroken] = useState('');
  if (broken === src)
    return (
      <p className={classes.broken}>
        <ImageOff size={24} strokeWidth={1.5} aria-hidden />
        Slide {place} can’t be shown
      </p>
    );
  return (
    <img
      src={src}
      alt={`Slide ${place}: ${name}`}
      loading={place < 3 ? 'eager' : 'lazy'}
      onError={() => setBroken(src)}
    />
  );
}

import { Button } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import classes from './CoverMoment.module.css';
import { clockOf } from './clock.js';

/** What an arrow key moves. */
const STEP_MS = 100;

interface Props {
  src: string;
  /** Null if the server could not read it. */
  durationMs: number | null;
  /** In milliseconds; empty for the first frame. */
  value: string;
  onChange: (value: string) => void;
}

/** The moment of the video whose frame is its cover, with that frame. */
export function CoverMoment({ src, durationMs, value, onChange }: Props) {
  const id = useId();
  const frame = useRef<HTMLVideoElement>(null);
  const [foundMs, setFoundMs] = useState(0);
  const ms = value === '' ? 0 : Number(value);
  const most = durationMs ?? foundMs;
  useEffect(() => {
    if (frame.current) frame.current.currentTime = ms / 1000;
  }, [ms]);
  return (
    <div className={classes.cover}>
      <video
        ref={frame}
        className={classes.frame}
        src={src}
        muted
        playsInline
        preload="auto"
        aria-hidden
        tabIndex={-1}
        onLoadedMetadata={({ currentTarget }) => {
          if (Number.isFinite(currentTarget.duration)) setFoundMs(Math.floor(currentTarget.duration * 1000));
          currentTarget.currentTime = ms / 1000;
        }}
      />
      <div className={classes.choice}>
        <label htmlFor={id} className={classes.label}>
          Cover <output className="figures">{value === '' ? 'First frame' : clockOf(ms)}</output>
        </label>
        <input
          id={id}
          className={classes.scrubber}
          type="range"
          min={0}
          max={most}
          step={STEP_MS}
          value={Math.min(ms, most)}
          disabled={most === 0}
          aria-valuetext={value === '' ? 'First frame' : clockOf(ms)}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '0' ? '' : currentTarget.value)}
        />
        <Button size="compact-sm" variant="default" disabled={value === ''} onClick={() => onChange('')}>
          Use first frame
        </Button>
      </div>
    </div>
  );
}
